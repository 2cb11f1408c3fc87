// What the two-layer write and read share: the order in which a rank passes through the windows of a call.
//
// Windows are numbered round by round, domain by domain, and pass through the node's shared memory in batches. Each
// rank begins a batch at another window, so that cores fill different windows and do not fight for cache lines.
// Batches are passed in order: a batch has its slots as soon as the batch before the last is done, so nobody can wait
// in a circle.
#pragma once

#include <vector>

#include "engine/call.hpp"
#include "exchange/node_slots.hpp"

namespace collio::engine {

/// One window of a call and the slot it passes through.
struct NodeWindow {
  core::Extent extent;
  int slot = 0;
};

/// Windows that pass through a half of the slots together, in this rank's order.
struct NodeBatch {
  int half = 0;
  std::vector<NodeWindow> windows;

  /// What the slots keep of a window of this batch.
  [[nodiscard]] exchange::NodeSlots::Window entry(const NodeWindow& w) const noexcept {
    return {w.extent.offset, static_cast<std::int32_t>(windows.size())};
  }
};

class NodeWindows {
 public:
  explicit NodeWindows(const Call& call);
  /// Goes to the next batch; false at the end.
  bool next(NodeBatch& batch);

 private:
  const policy::Domains& domains_;
  core::Extent span_;
  std::int64_t per_batch_, begin_ = 0, end_ = 0;
  std::int64_t batches_ = 0;
  std::int64_t first_;  ///< where in a batch this rank begins
};

/// Waits until `half` is free for this rank's next batch. Meanwhile calls help(), which says whether it did anything.
template <class Help>
void await_half(Call& call, int half, Help&& help) {
  exchange::NodeSlots& slots = *call.file.slots;
  if (slots.ready(half)) return;
  observe::Steps::Scope time(call.steps, observe::Step::wait);
  for (exchange::WordWait wait(call.link.comm); !slots.ready(half);) {
    if (help())
      wait.progressed();
    else
      slots.idle(half, wait);
  }
}

/// Whether this rank may read and write the file for others.
[[nodiscard]] bool serves(const Call& call) noexcept;

/// The layout of the node's slots for this call.
[[nodiscard]] exchange::SlotLayout layout_of(const policy::Plan& plan) noexcept;

}  // namespace collio::engine
