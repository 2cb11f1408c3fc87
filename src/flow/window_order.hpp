// The order in which the ranks of a node pass through the windows of a call, and which slots the windows
// take.
//
// One node: windows go round by round, domain by domain, through two groups of slots in turn.
//
// Several nodes: home slots hold windows that this node serves until they are written. Transit slots hold
// pieces for windows of other nodes until they are sent. The two are separate, so a node whose storage is
// slow still sends its pieces to all others. A round is cut into steps with at most as many windows of any
// node as a home group has slots. In a step a node passes its own windows as one batch, then those of the
// other nodes, beginning with the next node's: nodes send to different receivers at a time.
//
// Why nodes cannot wait for each other in a circle: consider the first step that is not over on all nodes.
// All earlier steps are over, so every node gets a home group for its own windows of this step, and all of
// them are open to messages. A piece in a transit slot then waits for nothing but its message. Transit slots
// of this step come free one batch after the other, and every rank passes all its windows. Where pieces meet
// on a third node, they also wait for its transit slot: then all nodes take the windows in one order, and the
// first one that is not over on all nodes has its slots.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "flow/slot_groups.hpp"
#include "policy/domains.hpp"

namespace collio::flow {

/// What the order rests on. The same on all ranks of a node; `homes` and `slots` the same on all nodes.
struct OrderRequest {
  const policy::Domains& domains;
  std::span<const int> homes;  ///< node that serves each domain
  int node = 0;                ///< of this rank
  int slots = 2;               ///< of a node, an even number
  int transit_slots = 0;  ///< that a window of another node takes here, at most; `slots` are at least 2 more.
                          ///< 0: there is one node
  bool relays =
      false;  ///< pieces of several nodes meet on the way: then all nodes take a step in the same order
  std::function<int(int domain)> slots_for;  ///< that a window of the domain takes here, in transit
};

/// Windows that pass through a group of slots together.
struct Batch {
  struct Window {
    int domain = 0;
    std::int64_t round = 0;
    int slot = 0;  ///< the first of its slots
  };
  int group = 0;
  int slots = 0;  ///< in use
  std::vector<Window> windows;
};

/// Not collective; pure. O(domains) memory where there are several nodes, else O(1).
class WindowOrder {
 public:
  explicit WindowOrder(const OrderRequest& request);
  [[nodiscard]] const SlotGroups& groups() const noexcept { return groups_; }
  /// Goes to the next batch; false at the end.
  bool next(Batch& batch);

 private:
  /// Consecutive domains of order_.
  struct Part {
    int begin = 0, end = 0;
    bool home = false;
  };
  void order_by_steps();
  [[nodiscard]] bool fill(Batch& batch, const Part& part);
  bool next_on_one_node(Batch& batch);

  OrderRequest request_;
  SlotGroups groups_;
  std::vector<int> order_;   ///< domains of a round as they are passed; empty: by number
  std::vector<Part> parts_;  ///< of a round
  std::int64_t rounds_;
  std::int64_t round_ = 0;
  std::size_t part_ = 0;
  int at_ = 0;  ///< place in the part, or domain on one node
  std::int64_t home_batches_ = 0, transit_batches_ = 0;
};

}  // namespace collio::flow
