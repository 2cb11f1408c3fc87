// Which ranks take part in a window: how many of each team of a node have bytes there, and how much room
// these need.
//
// Once a call the ranks of a node count themselves in where they have bytes. Then each of them passes those
// windows alone, and all know how many ranks will come. There is a counter for each window and team. Where
// they would be more than the memory for them, one counter stands for several rounds of a domain, or for all
// rounds of several domains; ranks that have bytes in one of those windows take part in all, and a window is
// said to need what all of them need.
//
// In the first window of a domain whose pieces travel also those ranks take part that have bytes in later
// ones alone: their node's first message tells which comes next, and how many nodes send is all that the
// domain's node has to know.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "policy/domains/domains.hpp"

namespace collio::flow {

class Tally {
 public:
  /// Ranks in the low 16 bits, for a node has at most 65535; bytes above them.
  using Counter = std::atomic<std::uint64_t>;

  /// Uses the first counters() of `counters`, which are zero. `domains` outlives it.
  Tally(const policy::Domains& domains, int teams, std::span<Counter> counters) noexcept;

  /// Counters in use.
  [[nodiscard]] std::int64_t counters() const noexcept { return places_ * teams_; }
  /// Counters of a team.
  [[nodiscard]] std::int64_t places() const noexcept { return places_; }
  /// Where a window is counted.
  [[nodiscard]] std::int64_t place(int domain, std::int64_t round) const noexcept {
    return domain / domains_per_place_ * places_of_domain_ + round / rounds_per_place_;
  }
  /// A rank of the team has bytes in the windows of a place. Once for each rank and place.
  void add(std::int64_t place, int team) noexcept;
  /// Its pieces in one of them need this much room where they are packed (flow/packed_room.hpp).
  void need(std::int64_t place, int team, std::int64_t bytes) noexcept;
  /// Ranks of the team that take part in a window. When all ranks have been counted, as the rest.
  [[nodiscard]] int ranks(int domain, std::int64_t round, int team) const noexcept;
  /// Bytes that the team's pieces need where they are packed, at most.
  [[nodiscard]] std::int64_t needs(int domain, std::int64_t round, int team) const noexcept;
  /// Of all teams.
  [[nodiscard]] int ranks(int domain, std::int64_t round) const noexcept;
  /// Teams below `end` of which any rank takes part.
  [[nodiscard]] int teams(int domain, std::int64_t round, int end) const noexcept;
  [[nodiscard]] int teams(int domain, std::int64_t round) const noexcept {
    return teams(domain, round, teams_);
  }
  /// The first round after `round` in which any rank of teams [first, end) takes part; -1: none. O(rounds).
  [[nodiscard]] std::int64_t next_round(int domain, std::int64_t round, int first, int end) const noexcept;

 private:
  [[nodiscard]] Counter& counter(std::int64_t place, int team) const noexcept {
    return counters_[static_cast<std::size_t>(place * teams_ + team)];
  }

  const policy::Domains& domains_;
  std::span<Counter> counters_;
  std::int64_t rounds_;
  std::int64_t domains_per_place_, rounds_per_place_, places_of_domain_, places_;
  int teams_;
};

}  // namespace collio::flow
