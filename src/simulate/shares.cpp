// See shares.hpp.
#include "simulate/shares.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ranges>
#include <stdexcept>
#include <string>

#include "core/index.hpp"

namespace collio::simulate {

namespace {

constexpr std::int64_t fewest_rounds = 4;
constexpr int sampled_parties = 3, sampled_windows = 3;
constexpr std::int64_t most_sampled_pieces = 1 << 20;  // of a party and window

using core::at;

/// What the ranks of one party have of each window: windows in the order in which they lie in the file.
class PartySums {
 public:
  PartySums(const policy::Domains& domains, const std::vector<std::int64_t>& rounds) {
    for (std::size_t r = 0; r < rounds.size(); ++r)
      for (int d = 0; d < domains.count; ++d)
        if (const core::Extent extent = domains.window(d, rounds[r]); extent.length > 0)
          windows_.push_back({extent, d, r});
    std::ranges::sort(windows_, {}, [](const Window& w) { return w.extent.offset; });
    sums_.resize(windows_.size());
  }

  void add(int rank, const core::Pattern& pattern) {
    if (pattern.bytes() == 0) return;
    const double per_byte = static_cast<double>(pattern.pieces()) / static_cast<double>(pattern.bytes());
    core::Cursor cursor(pattern);
    for (std::size_t i = 0; !cursor.at_end(); ++i) {
      i = window_behind(cursor.offset(), i);
      if (i == windows_.size()) return;
      const core::Extent& window = windows_[i].extent;
      if (cursor.offset() < window.offset) cursor.seek_offset(window.offset);
      const std::int64_t before = cursor.stream();
      cursor.seek_offset(window.end());
      if (const std::int64_t bytes = cursor.stream() - before; bytes > 0) add(i, rank, bytes, per_byte);
    }
  }

  /// Hands over, and begins the next party.
  void move_to(Shares& shares, int party) {
    for (const std::size_t i : touched_) {
      Sum& sum = sums_[i];
      sum.share.party = party;
      shares.add(windows_[i].domain, windows_[i].round, sum.share);
      sum = {};
    }
    touched_.clear();
  }

 private:
  struct Window {
    core::Extent extent;
    int domain;
    std::size_t round;
  };
  struct Sum {
    Share share{.ranks = 0};
    /// the last one
    int rank = -1;
  };

  /// The first one, from `i` on, that ends behind `offset`.
  [[nodiscard]] std::size_t window_behind(std::int64_t offset, std::size_t i) const {
    if (i == windows_.size() || windows_[i].extent.end() > offset) return i;
    const auto from = windows_.begin() + static_cast<std::ptrdiff_t>(i);
    return static_cast<std::size_t>(
        std::upper_bound(from, windows_.end(), offset,
                         [](std::int64_t o, const Window& w) { return o < w.extent.end(); }) -
        windows_.begin());
  }

  void add(std::size_t i, int rank, std::int64_t bytes, double pieces_per_byte) {
    Sum& sum = sums_[i];
    if (sum.share.ranks == 0) touched_.push_back(i);
    if (sum.rank != rank) ++sum.share.ranks;
    sum.rank = rank;
    sum.share.bytes += bytes;
    sum.share.pieces += static_cast<std::int32_t>(
        std::max<std::int64_t>(1, std::llround(static_cast<double>(bytes) * pieces_per_byte)));
  }

  std::vector<Window> windows_;
  std::vector<Sum> sums_;
  std::vector<std::size_t> touched_;
};

struct Joined {
  std::int64_t pieces = 0, runs = 0;
};

/// Pieces of consecutive ranks in a window, and what they are when joined.
Joined join(const Job& job, const core::Extent& window, int first, int end) {
  std::vector<core::Extent> pieces;
  for (int rank = first; rank < end; ++rank)
    for (const core::Pattern& pattern : job.access(rank)) {
      core::Cursor cursor(pattern);
      cursor.seek_offset(window.offset);
      for (core::Run run; static_cast<std::int64_t>(pieces.size()) < most_sampled_pieces &&
                          cursor.next_below(window.end(), run);)
        for (std::int64_t i = 0; i < run.count; ++i)
          pieces.push_back({run.offset + i * run.stride, run.length});
    }
  std::sort(pieces.begin(), pieces.end(),
            [](const core::Extent& a, const core::Extent& b) { return a.offset < b.offset; });
  Joined joined{static_cast<std::int64_t>(pieces.size()), 0};
  for (std::size_t i = 0; i < pieces.size(); ++i)
    joined.runs += i == 0 || pieces[i].offset > pieces[i - 1].end();
  return joined;
}

}  // namespace

Shares::Shares(int domains, std::vector<std::int64_t> rounds)
    : domains_(domains), rounds_(std::move(rounds)), by_window_(rounds_.size() * at(domains)) {}

std::span<const Share> Shares::of(int domain, std::size_t round) const noexcept {
  return by_window_[round * at(domains_) + at(domain)];
}

Share Shares::share_of(int domain, std::size_t round, int party) const noexcept {
  const std::span<const Share> all = of(domain, round);
  const auto found = std::ranges::lower_bound(all, party, {}, &Share::party);
  return found != all.end() && found->party == party ? *found : Share{party, 0, 0, 0};
}

void Shares::add(int domain, std::size_t round, const Share& share) {
  std::vector<Share>& window = by_window_[round * at(domains_) + at(domain)];
  if (window.empty() || window.back().party != share.party) return window.push_back(share);
  Share& joined = window.back();
  joined.pieces += share.pieces, joined.bytes += share.bytes, joined.ranks += share.ranks;
}

std::vector<std::int64_t> sample_rounds(const policy::Domains& domains, std::int64_t parties,
                                        std::int64_t most) {
  const std::int64_t all = domains.most_rounds(), pairs = std::max<std::int64_t>(1, parties * domains.count);
  const std::int64_t count = std::min(all, std::max(fewest_rounds, most / pairs));
  std::vector<std::int64_t> rounds;
  for (std::int64_t i = 0; i < count; ++i) rounds.push_back(i * all / count);
  return rounds;
}

void require_served(std::int64_t windows, const policy::Domains& domains,
                    const std::vector<std::int64_t>& rounds) {
  std::int64_t all = 0;
  for (const std::int64_t round : rounds)
    for (int d = 0; d < domains.count; ++d) all += round < domains.rounds(d);
  if (windows != all)
    throw std::runtime_error("the call stands still after " + std::to_string(windows) + " windows");
}

Shares shares_of(const Job& job, const policy::Domains& domains, std::vector<std::int64_t> rounds,
                 const PartyOf& party_of) {
  PartySums sums(domains, rounds);
  Shares shares(domains.count, std::move(rounds));
  for (int rank = 0; rank < job.ranks; ++rank) {
    for (const core::Pattern& pattern : job.access(rank)) sums.add(rank, pattern);
    const int party = party_of(rank);
    if (rank + 1 == job.ranks || party_of(rank + 1) != party) sums.move_to(shares, party);
  }
  return shares;
}

Shares gathered(const Shares& shares, const PartyOf& party_of) {
  Shares parties(shares.domains(), shares.rounds());
  for (std::size_t r = 0; r < shares.rounds().size(); ++r)
    for (int d = 0; d < shares.domains(); ++d)
      for (const Share& share : shares.of(d, r))
        parties.add(d, r, {party_of(share.party), share.pieces, share.bytes, share.ranks});
  return parties;
}

std::vector<std::vector<int>> parties_of(const Shares& shares) {
  std::vector<std::vector<int>> parties(static_cast<std::size_t>(shares.domains()));
  for (int d = 0; d < shares.domains(); ++d) {
    std::vector<int>& these = parties[static_cast<std::size_t>(d)];
    for (std::size_t r = 0; r < shares.rounds().size(); ++r)
      for (const Share& share : shares.of(d, r))
        if (share.bytes > 0) these.push_back(share.party);
    std::ranges::sort(these);
    these.erase(std::ranges::unique(these).begin(), these.end());
  }
  return parties;
}

double coalescing(const Job& job, const policy::Domains& domains, const Shares& shares,
                  const PartyOf& party_of) {
  Joined sum;
  const int parties = party_of(job.ranks - 1) + 1;
  const auto ranks = std::views::iota(0, job.ranks);
  for (int p = 0; p < sampled_parties; ++p) {
    const int party = p * (parties - 1) / (sampled_parties - 1);
    const int first = *std::ranges::lower_bound(ranks, party, {}, party_of);
    const auto behind = std::ranges::upper_bound(ranks, party, {}, party_of);
    const int end = behind == ranks.end() ? job.ranks : *behind;
    int looked = 0;
    for (std::size_t r = 0; r < shares.rounds().size() && looked < sampled_windows; ++r)
      for (int d = 0; d < shares.domains() && looked < sampled_windows; ++d) {
        if (shares.share_of(d, r, party).bytes == 0) continue;
        const Joined joined = join(job, domains.window(d, shares.rounds()[r]), first, end);
        sum.pieces += joined.pieces, sum.runs += joined.runs;
        ++looked;
      }
  }
  return sum.pieces == 0 ? 1 : static_cast<double>(sum.runs) / static_cast<double>(sum.pieces);
}

policy::Digest digest_of(const Job& job) {
  policy::Digest all;
  for (int rank = 0; rank < job.ranks; ++rank) {
    policy::Digest own;
    std::uint64_t bits = 0;
    for (const core::Pattern& pattern : job.access(rank)) {
      if (pattern.bytes() == 0) continue;
      own.low = std::min(own.low, pattern.low());
      own.high = std::max(own.high, pattern.high());
      own.bytes += pattern.bytes();
      own.pieces += pattern.pieces();
      bits |= static_cast<std::uint64_t>(pattern.low()) | (std::uint64_t{1} << pattern.shift());
    }
    own.most_bytes = own.bytes, own.most_pieces = own.pieces;
    own.active_ranks = own.bytes > 0 ? 1 : 0;
    own.spans = own.span();
    own.offset_bits = static_cast<std::int64_t>(bits);
    all.combine(own);
  }
  return all;
}

}  // namespace collio::simulate
