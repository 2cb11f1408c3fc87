// The order in which the ranks of a node pass through the windows of a call, and which slots the windows
// take.
//
// One node: windows go round by round, domain by domain, through two groups of slots in turn.
//
// Several nodes: windows go two courses, each at its own pace. Home slots hold windows that this node serves
// until they are written. Transit slots hold pieces for windows of other nodes until they are sent; windows
// in which the node has no part are left out. So a node whose storage is slow still sends its pieces to all
// others, and one whose pieces wait for a slow node still serves its own windows. A window takes several
// slots in a row: all that its length needs where pieces are placed, and in transit as few as the node's
// pieces fill where they are packed. A round is cut into steps with at most as many windows of any node as a
// home group has room for. In a step a node's transit begins with the next node's windows: nodes send to
// different receivers at a time.
//
// Why nodes cannot wait for each other in a circle: consider the first step that is not over on all nodes.
// All earlier steps are over, so every node gets a home group for its own windows of this step, and all of
// them are open to messages. A piece in a transit slot then waits for nothing but its message. Transit slots
// of this step come free one batch after the other, and every rank passes all windows that wait for it. Where
// pieces meet on a third node, they also wait for its transit slot: then all nodes take the windows in one
// order, and the first one that is not over on all nodes has its slots.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "flow/slot_groups.hpp"
#include "policy/domains/domains.hpp"

namespace collio::flow {

/// What a window takes on its way.
struct Room {
  /// in a row
  int slots = 0;
  /// messages; each has its own slots, and frees them when it is packed
  int parts = 0;
};

/// What the order rests on. The same on all ranks of a node; `homes` and `slots` the same on all nodes.
struct OrderRequest {
  const policy::Domains& domains;
  /// node that serves each domain
  std::span<const int> homes;
  /// of this rank
  int node = 0;
  /// of a node; windows of home slots: an even number
  int slots = 2;
  /// that a window takes where its pieces are placed
  int window_slots = 1;
  bool several_nodes = false;
  /// pieces of several nodes meet on the way: then all nodes take a step in the same order
  bool relays = false;
  /// What a window of another node takes here, in transit. Two windows of home slots fit beside it. None:
  /// this node has no part in it.
  std::function<Room(int domain, std::int64_t round)> room_for;
};

/// Windows that pass through a group of slots together.
struct Batch {
  struct Window {
    int domain = 0;
    std::int64_t round = 0;
    /// the first of its slots
    int slot = 0;
  };
  int group = 0;
  /// in use
  int slots = 0;
  /// that come free one by one
  int parts = 0;
  /// of the call
  std::int64_t step = 0;
  /// of the course's batches
  std::int64_t number = 0;
  std::vector<Window> windows;
};

enum class Course { home, transit };

/// Not collective; pure. O(domains) memory where there are several nodes, else O(1).
class WindowOrder {
 public:
  explicit WindowOrder(const OrderRequest& request);
  [[nodiscard]] const SlotGroups& groups() const noexcept { return groups_; }
  /// Slots that pieces in transit may take in all. Groups take fewer where pieces are packed.
  [[nodiscard]] int transit_room() const noexcept {
    return request_.slots - groups_.home_slots * groups_.home_groups;
  }
  /// Goes to the course's next batch; false at its end. One node has a home course only.
  bool next(Course course, Batch& batch);

 private:
  /// Where a course is.
  struct Place {
    /// domains of a round as they are passed
    std::vector<int> order;
    /// of its steps, in `order`
    std::vector<int> ends;
    std::int64_t round = 0;
    std::size_t step = 0;
    /// in `order`; on one node: domain
    int at = 0;
    std::int64_t batches = 0;
  };
  void order_by_steps();
  /// The most slots that a window takes in transit, and all windows of a step.
  struct Most {
    int of_window = 0, of_step = 0;
  };
  [[nodiscard]] Most most_in_transit() const;
  [[nodiscard]] SlotGroups divide(int homes_of_a_step, const Most& transit) const;
  void add_step(int step, int windows_of_a_step, std::span<const int> places);
  [[nodiscard]] bool fill(Course course, Place& place, Batch& batch);
  bool next_on_one_node(Batch& batch);

  OrderRequest request_;
  SlotGroups groups_;
  std::int64_t rounds_;
  Place home_, transit_;
};

}  // namespace collio::flow
