// The windows an aggregator has in memory, and when the next one may be opened.
//
// Why ranks cannot deadlock: a storage step ends without other ranks and gives its buffer back. A window
// opened ahead never takes the last buffer from an earlier one. Windows open in the order of the rounds that
// are known. If an earlier round is announced late, the windows opened ahead leave at least the buffer of the
// round before it.
#pragma once

#include <algorithm>
#include <deque>

#include "engine/moving/call.hpp"
#include "transport/delivery/inbox.hpp"
#include "transport/one_sided/remote_buffers.hpp"
#include "transport/windows/collective_buffer.hpp"

namespace collio::engine {

/// One buffer. `More`: what the direction keeps besides.
template <class More>
struct WindowBuffer {
  enum State {
    free,
    /// messages come
    exchanging,
    /// all messages are in
    full,
    /// the storage step is under way
    moving,
    /// read: the bytes are there
    there,
    /// read
    answering,
  };
  WindowBuffer(const transport::MessageLink& link, const transport::WindowStorage& storage,
               std::int64_t bytes, std::byte* memory)
      : window(link, storage, bytes, memory) {}
  transport::CollectiveBuffer window;
  State state = free;
  std::int64_t round = 0;
  More more;
};

template <class More>
class WindowBuffers {
 public:
  using Buffer = WindowBuffer<More>;

  WindowBuffers(CollectiveCall& call, const transport::WindowStorage& storage) : call_(call) {
    const std::int64_t most =
        std::min<std::int64_t>(call.plan.overlap.buffers, call.plan.domains.rounds(call.link.my_domain));
    const std::int64_t bytes = call.plan.domains.window_bytes;
    std::byte* shared = call.link.remote ? call.link.remote->memory() : nullptr;
    for (std::int64_t i = 0; i < std::max<std::int64_t>(1, most); ++i)
      buffers_.emplace_back(call.link, storage, bytes,
                            shared ? shared + i * transport::RemoteBuffers::stride(bytes) : nullptr);
    if (call_.trials) call_.trials->begin(observe::now_s());
  }
  ~WindowBuffers() {
    if (call_.trials) call_.trials->end(observe::now_s());
  }
  WindowBuffers(const WindowBuffers&) = delete;
  WindowBuffers& operator=(const WindowBuffers&) = delete;

  /// What may go on at the same time, just now.
  [[nodiscard]] const policy::Overlap& overlap() const noexcept {
    return call_.trials ? call_.trials->now() : call_.plan.overlap;
  }

  [[nodiscard]] int count(typename Buffer::State state) const noexcept {
    return static_cast<int>(std::ranges::count(buffers_, state, &Buffer::state));
  }
  [[nodiscard]] bool idle() const noexcept {
    return std::ranges::all_of(buffers_, [](const Buffer& b) { return b.state == Buffer::free; });
  }
  /// The buffer in that state with the earliest round; null: none.
  [[nodiscard]] Buffer* first(typename Buffer::State state) noexcept {
    Buffer* found = nullptr;
    for (Buffer& b : buffers_)
      if (b.state == state && (!found || b.round < found->round)) found = &b;
    return found;
  }
  /// The buffer of the earliest round that is in memory; null: none.
  [[nodiscard]] Buffer* first() noexcept {
    Buffer* found = nullptr;
    for (Buffer& b : buffers_)
      if (b.state != Buffer::free && (!found || b.round < found->round)) found = &b;
    return found;
  }
  /// Of a round that is in memory.
  [[nodiscard]] Buffer& of_round(std::int64_t round) noexcept {
    return *std::ranges::find_if(
        buffers_, [round](const Buffer& b) { return b.state != Buffer::free && b.round == round; });
  }
  [[nodiscard]] auto begin() noexcept { return buffers_.begin(); }
  [[nodiscard]] auto end() noexcept { return buffers_.end(); }

  /// Opens the next window, if there is one and it may be. Null: not now.
  Buffer* open_next(transport::Inbox& inbox) {
    const std::int64_t round = inbox.next_closed();
    if (call_.trials && idle()) call_.trials->idle(observe::now_s());
    if (round == transport::no_round || count(Buffer::exchanging) >= overlap().exchanging) return nullptr;
    if (overlap().in_pairs && count(Buffer::full) > 0) return nullptr;
    if (call_.trials && call_.trials->resting() && !opened_behind(round)) return nullptr;
    Buffer* buffer = free_one();
    if (!buffer) return nullptr;
    ++opened_;
    buffer->state = Buffer::exchanging;
    buffer->round = round;
    buffer->window.open(call_.plan.domains.window(call_.link.my_domain, round));
    inbox.open(round);
    call_.ranks.roll.come_to_round(round);
    if (call_.trials) call_.trials->opened();
    return buffer;
  }
  /// The round is over: its buffer may have another window.
  void release(Buffer& buffer) {
    buffer.state = Buffer::free;
    if (call_.trials) call_.trials->over(buffer.window.span().length, observe::now_s());
  }

 private:
  /// True when a later round has a buffer. The earlier one must then get one too, or senders would wait for
  /// each other.
  [[nodiscard]] bool opened_behind(std::int64_t round) const noexcept {
    return std::ranges::any_of(
        buffers_, [round](const Buffer& b) { return b.state != Buffer::free && b.round > round; });
  }
  /// In turn, one waits for the storage step of the buffer whose turn it is; not for messages, which may wait
  /// for this window.
  [[nodiscard]] Buffer* free_one() noexcept {
    Buffer& next = buffers_[opened_ % buffers_.size()];
    if (next.state == Buffer::free) return &next;
    if (overlap().in_turn && next.state != Buffer::exchanging) return nullptr;
    return first(Buffer::free);
  }

  CollectiveCall& call_;
  std::deque<Buffer> buffers_;
  std::size_t opened_ = 0;
};

}  // namespace collio::engine
