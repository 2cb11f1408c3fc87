// What the two-layer write and read share: the windows that a rank passes through in a call, in the order of
// flow/window_order.hpp, and what each is to its node. Each rank begins a batch at another window, so that
// cores fill different windows and do not fight for cache lines.
#pragma once

#include <array>
#include <vector>

#include "engine/moving/call.hpp"
#include "engine/two_layer/node_tally.hpp"
#include "flow/window_order.hpp"
#include "transport/node_memory/node_slots.hpp"

namespace collio::engine {

/// One window of a call and the slot it passes through on this node.
struct NodeWindow {
  enum Role {
    /// the aggregator is on this node: the window is written or read here
    home,
    /// pieces of this group of nodes meet here on their way to the aggregator
    relay,
    /// pieces of a team of this node's ranks meet here on their way
    away,
  };
  core::Extent extent;
  std::int64_t round = 0;
  int domain = 0;
  int slot = 0;
  /// of the call; number
  std::int64_t step = 0, batch = 0;
  Role role = home;
  /// this rank is one of those that pass it
  bool mine = true;
  /// this rank gets the mail for it
  bool receives = false;
  /// some rank of this node passes it
  bool anyone = true;
  /// away: pieces are packed, not placed
  bool packed = false;
  /// for these
  std::int64_t room_bytes = 0;
  /// a packed read: where this rank's bytes come to be
  std::int64_t answer_at = 0;
  /// what the slots keep of it
  transport::NodeSlots::Window entry;
};

/// Windows that pass through a group of slots together, in this rank's order: those that concern it.
struct NodeBatch {
  int group = 0;
  /// see flow::Batch
  std::int64_t step = 0, number = 0;
  std::vector<NodeWindow> windows;
};

/// Where this rank is on one of its courses.
struct NodeLane {
  flow::Course course;
  bool left = false;
  /// the next one that concerns this rank
  NodeBatch batch;
};

class NodeWindows {
 public:
  /// Collective on the node, where there are several nodes.
  explicit NodeWindows(CollectiveCall& call);

  [[nodiscard]] bool any_left() const noexcept { return lanes_[0].left || lanes_[1].left; }
  /// Of the lanes whose batch `may_enter(batch)`, the one that is behind. Null: none.
  template <class MayEnter>
  [[nodiscard]] NodeLane* next_lane(MayEnter&& may_enter) noexcept {
    NodeLane* next = nullptr;
    for (NodeLane& lane : lanes_)
      if (lane.left && (!next || lane.batch.step < next->batch.step) && may_enter(lane.batch)) next = &lane;
    return next;
  }
  /// The lane's batch has been entered: goes to its next.
  void advance(NodeLane& lane);
  /// Pieces in transit of the call's first step are left to pass.
  [[nodiscard]] bool sends_first_step() const noexcept { return lanes_[1].left && lanes_[1].batch.step == 0; }
  /// A group that this rank waits for, where it hears of groups.
  [[nodiscard]] int awaited_group() const noexcept { return lanes_[0].batch.group; }
  /// The layout of the node's slots for this call.
  [[nodiscard]] transport::SlotLayout layout() const noexcept;
  /// Bytes of the slots that pieces in transit may take.
  [[nodiscard]] std::int64_t transit_bytes() const noexcept {
    return order_.transit_room() * policy::slot_bytes(call_.plan);
  }
  [[nodiscard]] const NodeTally& tally() const noexcept { return tally_; }
  /// The next round of its domain for which this node sends a message by itself; no_round: none.
  [[nodiscard]] std::int64_t next_round(const NodeWindow& window) const noexcept;

 private:
  [[nodiscard]] NodeWindow::Role role_of(int domain) const noexcept;
  [[nodiscard]] flow::OrderRequest order_request() const;
  [[nodiscard]] flow::Room room_for(int domain, std::int64_t round) const noexcept;
  void add(NodeBatch& batch, const flow::Batch::Window& window) const;

  const CollectiveCall& call_;
  const policy::Domains& domains_;
  const policy::Teams& teams_;
  /// this rank's
  int team_;
  NodeTally tally_;
  flow::WindowOrder order_;
  flow::Batch next_;
  std::array<NodeLane, 2> lanes_{NodeLane{flow::Course::home, true, {}},
                                 NodeLane{flow::Course::transit, true, {}}};
};

/// Whether this rank may read and write the file for others.
[[nodiscard]] bool serves(const CollectiveCall& call) noexcept;

/// Whether it does so only when it has nothing else to do: a rank in a call of the storage keeps other nodes
/// waiting for its messages.
[[nodiscard]] bool serves_last(const CollectiveCall& call) noexcept;

/// The rank of this node that receives what comes for `domain`: its aggregator or the rank beside it, or the
/// first rank of a node on which its pieces meet.
[[nodiscard]] int mail_receiver(const CollectiveCall& call, int domain) noexcept;

/// Whether this rank is that one, and any node may send some there.
[[nodiscard]] bool receives_mail(const CollectiveCall& call, int domain) noexcept;

/// The node to which this node sends pieces of `domain`.
[[nodiscard]] int next_node(const CollectiveCall& call, int domain) noexcept;

/// The rank there.
[[nodiscard]] int next_rank(const CollectiveCall& call, int domain) noexcept;

}  // namespace collio::engine
