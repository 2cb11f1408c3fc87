// What the two-layer write and read share: the order in which a rank passes through the windows of a call.
//
// Windows are numbered round by round, domain by domain, and take the slots of the node's shared memory in turn. As
// many as there are slots make a batch; each rank begins a batch at another window, so that cores fill different
// windows and do not fight for cache lines. Batches are passed in order: all windows of a batch have their slots as
// soon as all windows of the batch before are done, so nobody can wait in a circle.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/call.hpp"
#include "exchange/node_slots.hpp"

namespace collio::engine {

/// One window of a call and the slot it passes through.
struct NodeWindow {
  core::Extent extent;
  int slot = 0;
};

class NodeWindows {
 public:
  explicit NodeWindows(const Call& call);
  /// The windows of the next batch, in this rank's order; empty at the end.
  [[nodiscard]] std::vector<NodeWindow> next_batch();

 private:
  const policy::Domains& domains_;
  core::Extent span_;
  std::int64_t slots_, begin_ = 0, end_ = 0;
  std::int64_t first_;  ///< where in a batch this rank begins
};

/// Passes through all windows: pass(window, phase) when the window's slot is in this rank's turn; it returns whether
/// the rank is done with the window. While no window can be passed: help(), and when that had nothing to do either,
/// waits for the first window left.
template <class Pass, class Help>
void pass_windows(Call& call, Pass&& pass, Help&& help) {
  exchange::NodeSlots& slots = *call.file.slots;
  exchange::WordWait wait(call.link.comm);
  NodeWindows windows(call);
  for (auto batch = windows.next_batch(); !batch.empty(); batch = windows.next_batch()) {
    while (!batch.empty()) {
      const auto left = std::remove_if(batch.begin(), batch.end(), [&](const NodeWindow& window) {
        const int phase = slots.phase(window.slot);
        return phase >= 0 && pass(window, phase);
      });
      if (left != batch.end()) {
        batch.erase(left, batch.end());
        wait.progressed();
      } else if (help()) {
        wait.progressed();
      } else {
        observe::Steps::Scope time(call.steps, observe::Step::wait);
        slots.idle(batch.front().slot, wait);
      }
    }
  }
}

/// Helps until the slots are free again: every window of the call is done.
template <class Help>
void await_all_windows(Call& call, Help&& help) {
  observe::Steps::Scope time(call.steps, observe::Step::wait);
  exchange::WordWait wait(call.link.comm);
  for (int slot = 0; slot < call.plan.slots;) {
    if (call.file.slots->phase(slot) >= 0)
      ++slot;
    else if (help())
      wait.progressed();
    else
      call.file.slots->idle(slot, wait);
  }
}

/// Whether this rank may read and write the file for others.
[[nodiscard]] bool serves(const Call& call) noexcept;

}  // namespace collio::engine
