// Which party has how much of which window: what messages between ranks, or between nodes, are made of.
//
// A party is a rank, or consecutive ranks that send together. Where a job has too many windows to look at
// each, some rounds stand for all.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "policy/domains/domains.hpp"
#include "policy/plan/digest.hpp"
#include "simulate/demand.hpp"

namespace collio::simulate {

struct Share {
  std::int32_t party = 0;
  std::int32_t pieces = 0;
  std::int64_t bytes = 0;
  /// of the party, that have bytes there
  std::int32_t ranks = 1;
};

/// Of the windows of some rounds, or all.
class Shares {
 public:
  Shares(int domains, std::vector<std::int64_t> rounds);

  [[nodiscard]] const std::vector<std::int64_t>& rounds() const noexcept { return rounds_; }
  [[nodiscard]] int domains() const noexcept { return domains_; }
  /// Of a window: `round` is an index into rounds(). Parties ascend.
  [[nodiscard]] std::span<const Share> of(int domain, std::size_t round) const noexcept;
  /// A party's; nothing where it has none. O(log parties).
  [[nodiscard]] Share share_of(int domain, std::size_t round, int party) const noexcept;
  /// Joins what the party already has there. A window's parties are added in ascending order.
  void add(int domain, std::size_t round, const Share& share);

 private:
  int domains_;
  std::vector<std::int64_t> rounds_;
  /// [round][domain]
  std::vector<std::vector<Share>> by_window_;
};

/// The party of each rank, from 0, and none left out. It does not descend.
using PartyOf = std::function<int(int rank)>;

/// Rounds that stand for all: every one, or evenly spread ones, so that parties and windows make no more than
/// `most` pairs; at least 4.
[[nodiscard]] std::vector<std::int64_t> sample_rounds(const policy::Domains& domains, std::int64_t parties,
                                                      std::int64_t most);

/// Throws where fewer windows were served than these rounds have.
void require_served(std::int64_t windows, const policy::Domains& domains,
                    const std::vector<std::int64_t>& rounds);

/// A rank's pieces are taken to lie evenly on its bytes. O(pairs of a rank and a window that it has bytes
/// of); memory O(pairs of a party and a window).
[[nodiscard]] Shares shares_of(const Job& job, const policy::Domains& domains,
                               std::vector<std::int64_t> rounds, const PartyOf& party_of);

/// The same for parties of parties.
[[nodiscard]] Shares gathered(const Shares& shares, const PartyOf& party_of);

/// Those with bytes of each domain, ascending.
[[nodiscard]] std::vector<std::vector<int>> parties_of(const Shares& shares);

/// What is left of a party's pieces where those that touch are joined: runs / pieces, measured on a few
/// windows and parties.
[[nodiscard]] double coalescing(const Job& job, const policy::Domains& domains, const Shares& shares,
                                const PartyOf& party_of);

/// As the ranks' reduction makes it. O(ranks).
[[nodiscard]] policy::Digest digest_of(const Job& job);

}  // namespace collio::simulate
