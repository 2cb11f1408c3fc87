// A collective write in two phases (del Rosario, Bordawekar & Choudhary, 1993; Thakur, Gropp & Lusk, 1999).
//
// Every rank sends its pieces to the aggregators that own them; every aggregator places what arrives in its
// collective buffers and writes it, window by window. What goes on at the same time is for the plan to say
// (policy/overlap.hpp).
#include <new>

#include "engine/call/window_buffers.hpp"
#include "engine/two_phase/two_phase.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;
using transport::no_round;

namespace {

struct Nothing {};
using Buffers = WindowBuffers<Nothing>;
using Buffer = Buffers::Buffer;

/// This rank as aggregator of one domain.
class WriteAggregator {
 public:
  WriteAggregator(Call& call, int senders)
      : call_(call),
        inbox_(call.link, call.link.my_domain, senders, early_),
        buffers_(call, {call.file.storage(), call.file.readable, call.plan.holes, call.file.machine.storage}),
        own_(call),
        grants_(call.link) {
    inbox_.announce_own(own_.next_round());
  }

  [[nodiscard]] bool done() const noexcept {
    return inbox_.round() == no_round && buffers_.idle() && grants_.idle();
  }

  bool advance(PathResult& moved) {
    bool anything = look_after_writes(moved);
    anything = open_windows() || anything;
    anything = receive() || anything;
    anything = grants_.advance() || anything;
    if (!inbox_.round_complete() || grants_.under_way(inbox_.round()) > 0) return anything;
    Buffer& buffer = buffers_.of_round(inbox_.round());
    buffer.state = Buffer::full;
    call_.counters.note_receives(inbox_.expected());
    inbox_.next_round();
    if (buffers_.overlap().exchanging > 1) {  // the next exchange has begun when a write holds this rank
      open_windows();
      receive();
    }
    if (!buffers_.overlap().in_pairs) start_write(buffer, moved);
    return true;
  }

  bool wait_for_storage(PathResult& moved) {
    Buffer* buffer = buffers_.count(Buffer::exchanging) > 0 ? nullptr : buffers_.first(Buffer::moving);
    if (buffer) conclude(*buffer, moved);
    return buffer;
  }

  [[nodiscard]] std::int64_t first_round_open() const noexcept { return first_incomplete(inbox_, grants_); }
  void fenced(std::int64_t next_round) { grants_.end_before(next_round); }

 private:
  bool open_windows() {
    bool anything = false;
    while (Buffer* buffer = buffers_.open_next(inbox_)) {
      if (own_.next_round() == buffer->round) place_own(buffer->window);
      anything = true;
    }
    return anything;
  }

  bool receive() {
    if (buffers_.count(Buffer::exchanging) == 0) return false;
    return inbox_.advance([&](transport::Received&& message) {
      take(message.view);
      call_.link.pool->give_back(std::move(message.buffer));
    });
  }

  void take(const transport::MessageView& message) {
    transport::Window& window = buffers_.of_round(message.header.round).window;
    if (!goes_one_sided(call_.link, message.header)) return window.place(message);
    const std::int64_t bytes = window.expect(message) ? message.header.data_bytes() : 0;
    grants_.give(message.header, {call_.link.remote->displacement_of(window.memory()), bytes});
  }

  void start_write(Buffer& buffer, PathResult& moved) {
    buffer.state = Buffer::moving;
    buffer.window.start_write();
    if (!buffers_.overlap().storage_goes_on) conclude(buffer, moved);
  }

  bool look_after_writes(PathResult& moved) {
    bool anything = false;
    for (Buffer& buffer : buffers_) {
      if (buffer.state != Buffer::moving || !buffer.window.advance()) continue;
      conclude(buffer, moved);
      anything = true;
    }
    if (!buffers_.overlap().in_pairs || buffers_.count(Buffer::moving) > 0) return anything;
    Buffer* next = buffers_.first(Buffer::full);
    if (next) start_write(*next, moved);
    return anything || next;
  }

  void conclude(Buffer& buffer, PathResult& moved) {
    moved.note(buffer.window.span().offset, buffer.window.finish());
    buffers_.release(buffer);
  }

  /// Straight from the user's buffer when that is contiguous.
  void place_own(transport::Window& window) {
    transport::MessageView own = own_.describe();
    transport::Buffer staging;
    if (call_.memory.direct())
      own.data = call_.memory.at(own_.stream_begin());
    else if (stage(own, staging))
      own.data = staging.data();
    if (own.data) window.place(own);
    call_.link.pool->give_back(std::move(staging));
    inbox_.announce_own(own_.next_round());
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

  Call& call_;
  transport::EarlyMessages early_;
  transport::Inbox inbox_;
  Buffers buffers_;
  OwnPieces own_;
  transport::Grants grants_;
};

}  // namespace

PathResult two_phase_write(Call& call) {
  return run_two_phase<WriteAggregator>(call, transport::Payload::data);
}

}  // namespace collio::engine
