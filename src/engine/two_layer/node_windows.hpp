// What the two-layer write and read share: the windows that a rank passes through in a call, in the order of
// flow/window_order.hpp, and what each is to its node. Each rank begins a batch at another window, so that
// cores fill different windows and do not fight for cache lines.
#pragma once

#include <vector>

#include "engine/call/call.hpp"
#include "flow/window_order.hpp"
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

/// Windows that pass through a group of slots together, in this rank's order.
struct NodeBatch {
  int group = 0;
  std::vector<NodeWindow> windows;
};

class NodeWindows {
 public:
  explicit NodeWindows(const Call& call);
  /// Goes to the next batch; false at the end.
  bool next(NodeBatch& batch);
  /// The layout of the node's slots for this call.
  [[nodiscard]] transport::SlotLayout layout() const noexcept;
  /// Slots that windows of this call pass through on this node, at most.
  [[nodiscard]] int slots_used() const noexcept;

 private:
  [[nodiscard]] NodeWindow::Role role_of(int domain) const noexcept;
  [[nodiscard]] flow::OrderRequest order_request() const;
  void add(NodeBatch& batch, const flow::Batch::Window& window) const;

  const Call& call_;
  const policy::Domains& domains_;
  const policy::Teams& teams_;
  int team_;  ///< this rank's
  flow::WindowOrder order_;
  flow::Batch next_;
};

/// Whether this rank may read and write the file for others.
[[nodiscard]] bool serves(const Call& call) noexcept;

/// Whether it does so only when it has nothing else to do: a rank in a call of the storage keeps other nodes
/// waiting for its messages.
[[nodiscard]] bool serves_last(const Call& call) noexcept;

/// Messages of a round that this rank receives for `domain`: as its aggregator, or as the first rank of a
/// node on which its pieces meet. 0: another rank receives them, or there are none.
[[nodiscard]] int mail_for(const Call& call, int domain) noexcept;

/// The node to which this node sends pieces of `domain`.
[[nodiscard]] int next_node(const Call& call, int domain) noexcept;

/// The rank there.
[[nodiscard]] int next_rank(const Call& call, int domain) noexcept;

}  // namespace collio::engine
