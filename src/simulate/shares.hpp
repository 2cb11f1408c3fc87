// Which party has how much of which window: what messages between ranks, or between nodes, are made of.
//
// A party is a rank, or several ranks that send together. Where a job has too many windows to look at each,
// some rounds stand for all.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "policy/digest.hpp"
#include "policy/domains.hpp"
#include "simulate/demand.hpp"

namespace collio::simulate {

struct Share {
  std::int32_t party = 0;
  std::int32_t pieces = 0;
  std::int64_t bytes = 0;
  std::int32_t ranks = 1;  ///< of the party, that have bytes there
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
  /// Joins what a party already has there. A window's parties are added in ascending order.
  void add(int domain, std::size_t round, const Share& share);
  /// The same for a further rank of the party.
  void join(int domain, std::size_t round, const Share& share);

 private:
  int domains_;
  std::vector<std::int64_t> rounds_;
  std::vector<std::vector<Share>> by_window_;  ///< [round][domain]
};

/// Rounds that stand for all: every one, or evenly spread ones, so that ranks and windows make no more than
/// `most` pairs; at least 4.
[[nodiscard]] std::vector<std::int64_t> sample_rounds(const Job& job, const policy::Domains& domains,
                                                      std::int64_t most);

/// Parties are ranks. A rank's pieces are taken to lie evenly on its bytes. O(ranks * patterns * windows).
[[nodiscard]] Shares shares_of(const Job& job, const policy::Domains& domains,
                               const std::vector<std::int64_t>& rounds);

/// Shares of ranks as shares of parties. `party_of` does not descend.
[[nodiscard]] Shares gathered(const Shares& ranks, const std::function<int(int rank)>& party_of);

/// What is left of a party's pieces where those that touch are joined: runs / pieces, measured on a few
/// windows and parties. Ranks [r, r + ranks) are a party for every multiple r of `ranks`.
[[nodiscard]] double coalescing(const Job& job, const policy::Domains& domains, const Shares& shares,
                                int ranks);

/// As the ranks' reduction makes it. O(ranks).
[[nodiscard]] policy::Digest digest_of(const Job& job);

}  // namespace collio::simulate
