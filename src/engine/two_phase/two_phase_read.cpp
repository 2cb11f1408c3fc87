// A collective read in two phases: the write's plan run backwards.
//
// Every rank asks the aggregators for its pieces; an aggregator waits until all requests of a window are in,
// reads what they name once, and answers each from its collective buffer, in the order of rounds: by a
// message, or with leave to get the bytes there (transport/one_sided/grants.hpp). Meanwhile it may collect
// the requests of later windows and read those (policy/plan/overlap.hpp).
#include "engine/two_phase/two_phase.hpp"

#include <deque>
#include <new>

#include "access/reserve.hpp"
#include "engine/two_phase/aggregator.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;
using transport::no_round;

namespace {

/// The requests for a window: of other ranks, and this rank's own.
struct WindowRequests {
  /// without a buffer: there is no memory, and the answer has no bytes
  std::deque<transport::Received> others;
  /// no pieces: there is none
  transport::MessageView own;
  std::vector<std::uint8_t> own_extents;
  std::int64_t own_stream_begin = 0;
};

/// Answers on their way, within the budget, and grants.
class OutgoingAnswers {
 public:
  explicit OutgoingAnswers(CollectiveCall& call) : call_(call), grants_(call.link) {}
  [[nodiscard]] bool empty() const noexcept { return sends_.empty() && grants_.idle(); }
  [[nodiscard]] transport::Grants& grants() noexcept { return grants_; }
  [[nodiscard]] const transport::Grants& grants() const noexcept { return grants_; }

  /// Sends as many answers from the window as the budget allows. True when any was sent.
  bool send_some(const transport::CollectiveBuffer& window, std::deque<transport::Received>& requests) {
    bool anything = false;
    while (!requests.empty()) {
      transport::Received& request = requests.front();
      const std::int64_t bytes = request.buffer ? window.available(request.view) : 0;
      if (goes_one_sided(call_.link, request.view.header)) {
        grants_.give(request.view.header, {call_.link.remote->displacement_of(window.memory()), bytes});
        call_.link.note_sent(request.view.header.source_node, bytes);
      } else if (sends_.empty() || under_way_bytes_ + bytes <= call_.link.budget_bytes) {
        send(window, request, bytes);
      } else {
        break;
      }
      call_.link.pool->give_back(std::move(request.buffer));
      requests.pop_front();
      anything = true;
    }
    return anything;
  }

  bool retire() {
    const bool anything = grants_.advance();
    Steps::Scope time(call_.steps, Step::exchange);
    return sends_.retire([this](Send& send, const MPI_Status&) {
      under_way_bytes_ -= send.bytes;
      call_.link.pool->give_back(std::move(send.buffer));
    }) || anything;
  }

 private:
  struct Send {
    transport::Buffer buffer;
    std::int64_t bytes = 0;
  };

  void send(const transport::CollectiveBuffer& window, const transport::Received& request,
            std::int64_t bytes) {
    const transport::MessageHeader& h = request.view.header;
    Send send;
    try {
      send.buffer = call_.link.pool->take(static_cast<std::size_t>(bytes));
      send.bytes = bytes;
    } catch (const std::bad_alloc&) {
      call_.link.leave_out();
    }
    window.collect(request.view, send.bytes, send.buffer.data());
    call_.link.note_sent(h.source_node, send.bytes);
    under_way_bytes_ += send.bytes;
    ++call_.counters.messages;
    Steps::Scope time(call_.steps, Step::exchange);
    sends_.post(std::move(send), [&](const Send& s, MPI_Request* started) {
      return MPI_Isend(s.buffer.data(), static_cast<int>(s.bytes), MPI_BYTE, h.source, transport::tag_answer,
                       call_.link.comm, started);
    });
  }

  CollectiveCall& call_;
  transport::Grants grants_;
  transport::InFlight<Send> sends_;
  std::int64_t under_way_bytes_ = 0;
};

class ReadAggregator : private Aggregator<ReadAggregator, WindowRequests> {
 public:
  ReadAggregator(CollectiveCall& call, int senders) : Aggregator(call, senders, true), answers_(call) {}

  [[nodiscard]] bool done() const noexcept {
    return inbox_.round() == no_round && buffers_.idle() && answers_.empty();
  }

  bool advance(PathResult& moved) {
    bool anything = answers_.retire();
    anything = look_after_reads(moved) || anything;
    anything = answer(moved) || anything;
    anything = open_windows() || anything;
    anything = receive() || anything;
    if (!inbox_.round_complete()) return anything;
    end_exchange(moved);
    return true;
  }

  [[nodiscard]] std::int64_t first_round_open() noexcept {
    std::int64_t first = first_incomplete(inbox_, answers_.grants());
    for (const Buffer& b : buffers_)  // requests that are not answered
      if (b.state != Buffer::free && (b.state != Buffer::answering || !b.more.others.empty()))
        first = std::min(first, b.round);
    return first;
  }
  void fenced(std::int64_t next_round) { answers_.grants().end_before(next_round); }

  bool wait_for_storage(PathResult& moved) { return answers_.empty() && wait_for_step(moved); }

 private:
  friend Aggregator;

  void use_own(Buffer& buffer) {
    WindowRequests& r = buffer.more;
    r.own = own_.describe();
    r.own_stream_begin = own_.stream_begin();
    if (!keep_own(r) || !buffer.window.expect(r.own)) {
      call_.link.leave_out();
      r.own = {};
    }
  }

  /// False: there is no memory.
  static bool keep_own(WindowRequests& r) {
    try {
      const access::Reserve::Abstain can_be_left_out;
      r.own_extents.assign(r.own.extents, r.own.extents + r.own.header.extents_bytes);
    } catch (const std::bad_alloc&) {
      return false;
    }
    r.own.extents = r.own_extents.data();
    return true;
  }

  void take(transport::Received&& request) {
    if (request.view.header.items == 0) return call_.link.pool->give_back(std::move(request.buffer));
    Buffer& buffer = buffers_.of_round(request.view.header.round);
    if (!request.keep(*call_.link.pool) || !buffer.window.expect(request.view)) {
      call_.link.leave_out();
      call_.link.pool->give_back(std::move(request.buffer));
    }
    buffer.more.others.push_back(std::move(request));
  }

  static void start(Buffer& buffer) { buffer.window.start_read(); }

  void conclude(Buffer& buffer, PathResult& moved) {
    moved.note(buffer.window.span().offset, buffer.window.finish());
    buffer.state = Buffer::there;
  }

  bool look_after_reads(PathResult& moved) {
    const bool anything = look_after_steps(moved);
    if (!buffers_.overlap().in_pairs ||
        buffers_.count(Buffer::moving) + buffers_.count(Buffer::answering) > 0)
      return anything;
    Buffer* there = buffers_.first(Buffer::there);
    Buffer* next = buffers_.first(Buffer::full);
    if (there) begin_answering(*there, moved);
    if (next) start_step(*next, moved);
    return anything || there || next;
  }

  /// The earliest window is answered first: a rank takes an aggregator's answers in the order in which it
  /// asked.
  bool answer(PathResult& moved) {
    bool anything = false;
    for (;;) {
      Buffer* buffer = buffers_.first();
      if (buffer && buffer->state == Buffer::there && !buffers_.overlap().in_pairs)
        begin_answering(*buffer, moved);
      if (!buffer || buffer->state != Buffer::answering) return anything;
      anything = answers_.send_some(buffer->window, buffer->more.others) || anything;
      if (!buffer->more.others.empty() || answers_.grants().under_way(buffer->round) > 0) return anything;
      buffer->more = {};
      buffers_.release(*buffer);
      anything = true;
    }
  }

  void begin_answering(Buffer& buffer, PathResult& moved) {
    buffer.state = Buffer::answering;
    const WindowRequests& r = buffer.more;
    if (r.own.header.items == 0) return;
    const std::int64_t bytes = buffer.window.available(r.own);
    moved.bytes += bytes;
    if (call_.memory.direct()) {
      buffer.window.collect(r.own, bytes, call_.memory.at(r.own_stream_begin));
      return;
    }
    transport::Buffer staging;
    try {
      staging = call_.link.pool->take(static_cast<std::size_t>(bytes));
    } catch (const std::bad_alloc&) {
      return call_.link.leave_out();
    }
    buffer.window.collect(r.own, bytes, staging.data());
    Steps::Scope time(call_.steps, Step::pack);
    call_.memory.scatter(r.own_stream_begin, bytes, staging.data());
    call_.link.pool->give_back(std::move(staging));
  }

  OutgoingAnswers answers_;
};

}  // namespace

PathResult two_phase_read(CollectiveCall& call) {
  return run_two_phase<ReadAggregator>(call, transport::Payload::request);
}

}  // namespace collio::engine
