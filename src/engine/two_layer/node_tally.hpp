// Which windows of a call this rank and its node take part in (flow/tally.hpp). On one node every rank takes
// part in all windows: no two ranks have to agree on that.
#pragma once

#include <optional>
#include <vector>

#include "engine/moving/call.hpp"
#include "flow/packed_room.hpp"
#include "flow/tally.hpp"
#include "flow/window_order.hpp"

namespace collio::engine {

/// Room for data bytes [begin, end) of this rank's access where they are packed.
[[nodiscard]] std::int64_t packed_room(const CollectiveCall& call, std::int64_t begin,
                                       std::int64_t end) noexcept;

class NodeTally {
 public:
  /// Counts this rank in and waits until all ranks of the node are. Collective on the node, where there are
  /// several nodes. O(windows in which this rank has bytes).
  explicit NodeTally(CollectiveCall& call);

  /// Whether this rank passes the window.
  [[nodiscard]] bool mine(int domain, std::int64_t round) const noexcept;
  /// Ranks of this node that pass it.
  [[nodiscard]] int ranks(int domain, std::int64_t round) const noexcept;
  /// Teams of this node with bytes in the domain, where it is not served here.
  [[nodiscard]] int teams(int domain) const noexcept;
  /// Ranks of this rank's team that pass it.
  [[nodiscard]] int ranks_of_team(int domain, std::int64_t round) const noexcept;
  /// What the teams that pass it take in transit: pieces are placed, or packed where they are few
  /// (flow/packed_room.hpp).
  [[nodiscard]] flow::Room room(int domain, std::int64_t round) const noexcept {
    return room_below(domain, round, teams_.count);
  }
  /// Of these, the ones before this rank's.
  [[nodiscard]] flow::Room room_before(int domain, std::int64_t round) const noexcept {
    return room_below(domain, round, team_);
  }
  /// Slots of this rank's team.
  [[nodiscard]] int slots_of_team(int domain, std::int64_t round) const noexcept {
    return slots_of(domain, round, team_);
  }
  /// The next round of the domain in which this rank's team takes part, or any team; no_round: none.
  [[nodiscard]] std::int64_t next_of_team(int domain, std::int64_t round) const noexcept;
  [[nodiscard]] std::int64_t next_of_node(int domain, std::int64_t round) const noexcept;

 private:
  void count_in(CollectiveCall& call);
  void add(std::int64_t place);
  [[nodiscard]] int slots_of(int domain, std::int64_t round, int team) const noexcept;
  [[nodiscard]] flow::Room room_below(int domain, std::int64_t round, int end) const noexcept;

  policy::Teams teams_;
  int ranks_, team_, window_slots_;
  std::int64_t slot_bytes_;
  /// none: one node
  std::optional<flow::Tally> tally_;
  /// by place
  std::vector<bool> mine_;
};

}  // namespace collio::engine
