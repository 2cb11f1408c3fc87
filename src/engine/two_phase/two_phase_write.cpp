// A collective write in two phases (del Rosario, Bordawekar & Choudhary, 1993; Thakur, Gropp & Lusk, 1999).
//
// Every rank sends its pieces to the aggregators that own them; every aggregator places what arrives in its
// collective buffers and writes it, window by window. What goes on at the same time is for the plan to say
// (policy/plan/overlap.hpp).
#include "engine/two_phase/two_phase.hpp"

#include <new>

#include "engine/two_phase/aggregator.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;
using transport::no_round;

namespace {

struct Nothing {};

class WriteAggregator : private Aggregator<WriteAggregator, Nothing> {
 public:
  WriteAggregator(CollectiveCall& call, int senders)
      : Aggregator(call, senders, call.file.stored.readable), grants_(call.link) {}

  [[nodiscard]] bool done() const noexcept {
    return inbox_.round() == no_round && buffers_.idle() && grants_.idle();
  }

  bool advance(PathResult& moved) {
    bool anything = look_after_writes(moved);
    anything = open_windows() || anything;
    anything = receive() || anything;
    anything = grants_.advance() || anything;
    if (!inbox_.round_complete() || grants_.under_way(inbox_.round()) > 0) return anything;
    end_exchange(moved);
    return true;
  }

  bool wait_for_storage(PathResult& moved) { return wait_for_step(moved); }

  [[nodiscard]] std::int64_t first_round_open() const noexcept { return first_incomplete(inbox_, grants_); }
  void fenced(std::int64_t next_round) { grants_.end_before(next_round); }

 private:
  friend Aggregator;

  void take(transport::Received&& message) {
    place(message.view);
    call_.link.pool->give_back(std::move(message.buffer));
  }

  void place(const transport::MessageView& message) {
    transport::CollectiveBuffer& window = buffers_.of_round(message.header.round).window;
    if (!goes_one_sided(call_.link, message.header)) return window.place(message);
    const std::int64_t bytes = window.expect(message) ? message.header.data_bytes() : 0;
    grants_.give(message.header, {call_.link.remote->displacement_of(window.memory()), bytes});
  }

  static void start(Buffer& buffer) { buffer.window.start_write(); }

  bool look_after_writes(PathResult& moved) {
    const bool anything = look_after_steps(moved);
    if (!buffers_.overlap().in_pairs || buffers_.count(Buffer::moving) > 0) return anything;
    Buffer* next = buffers_.first(Buffer::full);
    if (next) start_step(*next, moved);
    return anything || next;
  }

  void conclude(Buffer& buffer, PathResult& moved) {
    moved.note(buffer.window.span().offset, buffer.window.finish());
    buffers_.release(buffer);
  }

  /// Straight from the user's buffer when that is contiguous.
  void use_own(Buffer& buffer) {
    transport::MessageView own = own_.describe();
    transport::Buffer staging;
    if (call_.memory.direct())
      own.data = call_.memory.at(own_.stream_begin());
    else if (stage(own, staging))
      own.data = staging.data();
    if (own.data) buffer.window.place(own);
    call_.link.pool->give_back(std::move(staging));
  }

  /// False: there is no memory, and the pieces are left out.
  bool stage(const transport::MessageView& own, transport::Buffer& staging) {
    Steps::Scope time(call_.steps, Step::pack);
    const std::int64_t bytes = own.header.data_bytes();
    try {
      staging = call_.link.pool->take(static_cast<std::size_t>(bytes));
    } catch (const std::bad_alloc&) {
      call_.link.leave_out();
      return false;
    }
    call_.memory.gather(own_.stream_begin(), bytes, staging.data());
    return true;
  }

  transport::Grants grants_;
};

}  // namespace

PathResult two_phase_write(CollectiveCall& call) {
  return run_two_phase<WriteAggregator>(call, transport::Payload::data);
}

}  // namespace collio::engine
