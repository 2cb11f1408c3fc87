// What the two-layer write and read share: the order in which a rank passes through the windows of a call, and what
// each window is to its node.
//
// Windows are numbered round by round, domain by domain, and pass through the node's shared memory in batches. Each
// rank begins a batch at another window, so that cores fill different windows and do not fight for cache lines.
//
// Why ranks cannot deadlock: all nodes take the windows in the same order. Consider the first window that is not done on all nodes. All
// windows before it are done, so its batch has its half of the slots on every node, and no earlier message is left to wait for. Every
// rank, sender and receiver can do its part of that window.
#pragma once

#include <vector>

#include "engine/call/call.hpp"
#include "transport/node_memory/node_slots.hpp"

namespace collio::engine {

/// One window of a call and the slot it passes through on this node.
struct NodeWindow {
  enum Role {
    home,   ///< the aggregator is on this node: the window is written or read here
    relay,  ///< pieces of this group of nodes meet here on their way to the aggregator
    away,   ///< pieces of a team of this node's ranks meet here on their way
  };
  core::Extent extent;
  std::int64_t round = 0;
  int domain = 0;
  int slot = 0;
  Role role = home;
  transport::NodeSlots::Window entry;  ///< what the slots keep of it
};

/// Windows that pass through a half of the slots together, in this rank's order.
struct NodeBatch {
  int half = 0;
  std::vector<NodeWindow> windows;
};

class NodeWindows {
 public:
  explicit NodeWindows(const Call& call);
  /// Goes to the next batch; false at the end.
  bool next(NodeBatch& batch);

 private:
  [[nodiscard]] NodeWindow::Role role_of(int domain) const noexcept;
  [[nodiscard]] int slots_for(int domain) const noexcept;
  void add(NodeBatch& batch, std::int64_t number, int slot) const;

  const Call& call_;
  const policy::Domains& domains_;
  const policy::Teams& teams_;
  int team_;                      ///< this rank's
  std::int64_t begin_ = 0, end_;  ///< window numbers
  std::int64_t batches_ = 0;
};

/// Whether this rank may read and write the file for others.
[[nodiscard]] bool serves(const Call& call) noexcept;

/// The layout of the node's slots for this call.
[[nodiscard]] transport::SlotLayout layout_of(const policy::Plan& plan) noexcept;

/// Slots that windows of this call pass through on this node, at most.
[[nodiscard]] int slots_used(const Call& call) noexcept;

/// Messages of a round that this rank receives for `domain`: as its aggregator, or as the first rank of a node on which
/// its pieces meet. 0: another rank receives them, or there are none.
[[nodiscard]] int mail_for(const Call& call, int domain) noexcept;

/// The node to which this node sends pieces of `domain`.
[[nodiscard]] int next_node(const Call& call, int domain) noexcept;

/// The rank there.
[[nodiscard]] int next_rank(const Call& call, int domain) noexcept;

}  // namespace collio::engine
