// What an aggregator does alike in a two-phase write and read: it opens windows, receives the messages for
// them, and begins the storage step of a window whose messages are all in.
#pragma once

#include <utility>

#include "engine/moving/window_buffers.hpp"
#include "engine/two_phase/run_two_phase.hpp"

namespace collio::engine {

/// This rank as aggregator of one domain. `Self`, the direction, has take(message), for every message;
/// use_own(buffer), which describes this rank's own pieces for a window; start(buffer, moved), which begins a
/// window's storage step; and conclude(buffer, moved), when that is over. `More`: see WindowBuffer.
template <class Self, class More>
class Aggregator {
 protected:
  using Buffers = WindowBuffers<More>;
  using Buffer = typename Buffers::Buffer;

  Aggregator(CollectiveCall& call, int senders, bool readable)
      : call_(call),
        inbox_(call.link, call.link.my_domain, senders, early_),
        buffers_(call, {call.file.stored.handle(), readable, call.plan.holes, call.all_wait,
                        call.file.machine.storage}),
        own_(call) {
    inbox_.announce_own(own_.next_round());
  }

  bool open_windows() {
    bool anything = false;
    while (Buffer* buffer = buffers_.open_next(inbox_)) {
      if (own_.next_round() == buffer->round) {
        self().use_own(*buffer);
        inbox_.announce_own(own_.next_round());
      }
      anything = true;
    }
    return anything;
  }

  bool receive() {
    if (buffers_.count(Buffer::exchanging) == 0) return false;
    return inbox_.advance([this](transport::Received&& message) { self().take(std::move(message)); });
  }

  /// All messages of the current round are in: its storage step may begin.
  void end_exchange(PathResult& moved) {
    Buffer& buffer = buffers_.of_round(inbox_.round());
    buffer.state = Buffer::full;
    call_.counters.note_receives(inbox_.expected());
    inbox_.next_round();
    if (buffers_.overlap().exchanging >
        1) {  // the next exchange has begun when a storage step holds this rank
      open_windows();
      receive();
    }
    if (!buffers_.overlap().in_pairs) start_step(buffer, moved);
  }

  void start_step(Buffer& buffer, PathResult& moved) {
    buffer.state = Buffer::moving;
    self().start(buffer);
    if (!buffers_.overlap().storage_goes_on) self().conclude(buffer, moved);
  }

  /// Concludes the storage steps that are over. True when any was.
  bool look_after_steps(PathResult& moved) {
    bool anything = false;
    for (Buffer& buffer : buffers_) {
      if (buffer.state != Buffer::moving || !buffer.window.advance()) continue;
      self().conclude(buffer, moved);
      anything = true;
    }
    return anything;
  }

  /// Waits for the first storage step. False: none is under way.
  bool wait_for_step(PathResult& moved) {
    Buffer* buffer = buffers_.count(Buffer::exchanging) > 0 ? nullptr : buffers_.first(Buffer::moving);
    if (buffer) self().conclude(*buffer, moved);
    return buffer;
  }

  CollectiveCall& call_;
  transport::EarlyMessages early_;
  transport::Inbox inbox_;
  Buffers buffers_;
  OwnPieces own_;

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
};

}  // namespace collio::engine
