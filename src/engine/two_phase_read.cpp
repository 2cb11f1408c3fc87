// A collective read in two phases: the write's plan run backwards.
//
// Every rank asks the aggregators for its pieces; an aggregator waits until all requests of a window are in,
// reads what they name once, and answers each from its collective buffer.
#include <deque>

#include "engine/two_phase.hpp"
#include "exchange/window.hpp"

namespace collio::engine {

using exchange::no_round;
using observe::Step;
using observe::Steps;

namespace {

/// This rank as aggregator of one domain.
class ReadAggregator {
 public:
  ReadAggregator(Call& call, int senders)
      : call_(call),
        inbox_(call.link, call.link.my_domain, senders, early_),
        window_(call.link, {call.file.storage(), true, call.plan.holes, call.file.machine.storage},
                call.plan.domains.window_bytes),
        own_(call) {
    inbox_.announce_own(own_.next_round());
  }

  [[nodiscard]] bool done() const noexcept { return inbox_.round() == no_round && sends_.empty(); }

  bool advance(Moved& moved) {
    bool anything = retire_sends();
    if (inbox_.round() == no_round) return anything;
    if (!answering_) {
      anything = collect_requests() || anything;
      if (!inbox_.round_complete()) return anything;
      moved.note(window_.span().offset, window_.read_in());
      answer_own(moved);
      answering_ = anything = true;
    }
    anything = answer() || anything;
    if (!requests_.empty()) return anything;
    call_.counters.note_receives(inbox_.expected());
    inbox_.next_round();
    answering_ = open_ = false;
    return true;
  }

 private:
  bool collect_requests() {
    bool anything = false;
    if (!open_) {
      window_.open(call_.plan.domains.window(call_.link.my_domain, inbox_.round()));
      want_own();
      open_ = anything = true;
    }
    return inbox_.advance([&](exchange::Received&& request) {
      window_.want(request.view);
      if (request.view.header.items > 0)
        requests_.push_back(std::move(request));
      else
        call_.link.pool->give_back(std::move(request.buffer));
    }) || anything;
  }

  void want_own() {
    own_here_ = own_.next_round() == inbox_.round();
    if (!own_here_) return;
    own_request_ = own_.describe();
    window_.want(own_request_);
    inbox_.announce_own(own_.next_round());
  }

  void answer_own(Moved& moved) {
    if (!own_here_) return;
    const std::int64_t bytes = window_.available(own_request_);
    moved.bytes += bytes;
    if (call_.memory.contiguous()) {
      window_.collect(own_request_, bytes, call_.memory.at(own_.stream_begin()));
      return;
    }
    exchange::Buffer staging = call_.link.pool->take(static_cast<std::size_t>(bytes));
    window_.collect(own_request_, bytes, staging.data());
    Steps::Scope time(call_.steps, Step::pack);
    call_.memory.scatter(own_.stream_begin(), bytes, staging.data());
    call_.link.pool->give_back(std::move(staging));
  }

  /// Sends as many answers as the budget allows.
  bool answer() {
    bool anything = false;
    while (!requests_.empty()) {
      exchange::Received& request = requests_.front();
      const std::int64_t bytes = window_.available(request.view);
      if (!sends_.empty() && under_way_bytes_ + bytes > call_.link.budget_bytes) break;
      Send send{MPI_REQUEST_NULL, call_.link.pool->take(static_cast<std::size_t>(bytes)), bytes};
      window_.collect(request.view, bytes, send.buffer.data());
      {
        Steps::Scope time(call_.steps, Step::exchange);
        MPI_Isend(send.buffer.data(), static_cast<int>(bytes), MPI_BYTE, request.view.header.source,
                  exchange::tag_answer, call_.link.comm, &send.request);
      }
      call_.link.note_sent(request.view.header.source_node, bytes);
      under_way_bytes_ += bytes;
      ++call_.counters.messages;
      sends_.push_back(std::move(send));
      call_.link.pool->give_back(std::move(request.buffer));
      requests_.pop_front();
      anything = true;
    }
    return anything;
  }

  bool retire_sends() {
    bool anything = false;
    Steps::Scope time(call_.steps, Step::exchange);
    for (std::size_t i = 0; i < sends_.size();) {
      int done = 0;
      MPI_Test(&sends_[i].request, &done, MPI_STATUS_IGNORE);
      if (!done) {
        ++i;
        continue;
      }
      under_way_bytes_ -= sends_[i].bytes;
      call_.link.pool->give_back(std::move(sends_[i].buffer));
      sends_.erase(sends_.begin() + static_cast<std::ptrdiff_t>(i));
      anything = true;
    }
    return anything;
  }

  struct Send {
    MPI_Request request = MPI_REQUEST_NULL;
    exchange::Buffer buffer;
    std::int64_t bytes = 0;
  };

  Call& call_;
  exchange::EarlyMessages early_;
  exchange::Inbox inbox_;
  exchange::Window window_;
  OwnPieces own_;
  exchange::MessageView own_request_;
  std::deque<exchange::Received> requests_;
  std::vector<Send> sends_;
  std::int64_t under_way_bytes_ = 0;
  bool open_ = false, answering_ = false, own_here_ = false;
};

}  // namespace

Moved two_phase_read(Call& call) { return run_two_phase<ReadAggregator>(call, exchange::Payload::request); }

}  // namespace collio::engine
