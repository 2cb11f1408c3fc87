// Which windows of a call this rank and its node take part in (flow/tally.hpp). On one node every rank takes
// part in all windows: no two ranks have to agree on that.
#pragma once

#include <optional>
#include <vector>

#include "engine/call/call.hpp"
#include "flow/tally.hpp"

namespace collio::engine {

class NodeTally {
 public:
  /// Counts this rank in and waits until all ranks of the node are. Collective on the node, where there are
  /// several nodes. O(windows in which this rank has bytes).
  explicit NodeTally(Call& call);

  /// Whether this rank passes the window.
  [[nodiscard]] bool mine(int domain, std::int64_t round) const noexcept;
  /// Ranks of this node that pass it.
  [[nodiscard]] int ranks(int domain, std::int64_t round) const noexcept;
  /// Ranks of this rank's team that pass it.
  [[nodiscard]] int ranks_of_team(int domain, std::int64_t round) const noexcept;
  /// Teams that pass it.
  [[nodiscard]] int teams(int domain, std::int64_t round) const noexcept;
  /// Of these, the ones before this rank's.
  [[nodiscard]] int teams_before(int domain, std::int64_t round) const noexcept;
  /// The next round of the domain in which this rank's team takes part, or any team; no_round: none.
  [[nodiscard]] std::int64_t next_of_team(int domain, std::int64_t round) const noexcept;
  [[nodiscard]] std::int64_t next_of_node(int domain, std::int64_t round) const noexcept;

 private:
  void count_in(Call& call);
  void add(std::int64_t place);

  policy::Teams teams_;
  int ranks_, team_;
  std::optional<flow::Tally> tally_;  ///< none: one node
  std::vector<bool> mine_;            ///< by place
};

}  // namespace collio::engine
