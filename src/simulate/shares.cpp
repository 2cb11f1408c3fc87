// See shares.hpp.
#include "simulate/shares.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/index.hpp"

namespace collio::simulate {

namespace {

constexpr std::int64_t fewest_rounds = 4;
constexpr int sampled_parties = 3, sampled_windows = 3;
constexpr std::int64_t most_sampled_pieces = 1 << 20;  // of a party and window

using core::at;

/// Data bytes before the first one at or after `offset`.
std::int64_t bytes_before(core::Cursor& cursor, std::int64_t offset) {
  cursor.seek_offset(offset);
  return cursor.stream();
}

void add_pattern(Shares& shares, const policy::Domains& domains, int rank, const core::Pattern& pattern) {
  if (pattern.bytes() == 0) return;
  core::Cursor cursor(pattern);
  const double per_byte = static_cast<double>(pattern.pieces()) / static_cast<double>(pattern.bytes());
  for (std::size_t r = 0; r < shares.rounds().size(); ++r)
    for (int d = 0; d < shares.domains(); ++d) {
      const core::Extent window = domains.window(d, shares.rounds()[r]);
      if (window.length <= 0 || window.end() <= pattern.low() || window.offset >= pattern.high()) continue;
      const std::int64_t before = bytes_before(cursor, window.offset);
      const std::int64_t bytes = bytes_before(cursor, window.end()) - before;
      if (bytes == 0) continue;
      const auto pieces = std::max<std::int64_t>(1, std::llround(static_cast<double>(bytes) * per_byte));
      shares.add(d, r, {rank, static_cast<std::int32_t>(pieces), bytes, 1});
    }
}

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
  window.back().pieces += share.pieces;
  window.back().bytes += share.bytes;
}

void Shares::join(int domain, std::size_t round, const Share& share) {
  std::vector<Share>& window = by_window_[round * at(domains_) + at(domain)];
  const bool first = window.empty() || window.back().party != share.party;
  add(domain, round, share);
  if (!first) window.back().ranks += share.ranks;
}

std::vector<std::int64_t> sample_rounds(const Job& job, const policy::Domains& domains, std::int64_t most) {
  const std::int64_t all = domains.most_rounds();
  const std::int64_t pairs = std::int64_t{job.ranks} * domains.count;
  const std::int64_t count = std::min(all, std::max(fewest_rounds, most / std::max<std::int64_t>(1, pairs)));
  std::vector<std::int64_t> rounds;
  for (std::int64_t i = 0; i < count; ++i) rounds.push_back(i * all / count);
  return rounds;
}

Shares shares_of(const Job& job, const policy::Domains& domains, const std::vector<std::int64_t>& rounds) {
  Shares shares(domains.count, rounds);
  for (int rank = 0; rank < job.ranks; ++rank)
    for (const core::Pattern& pattern : job.access(rank)) add_pattern(shares, domains, rank, pattern);
  return shares;
}

Shares gathered(const Shares& ranks, const std::function<int(int rank)>& party_of) {
  Shares parties(ranks.domains(), ranks.rounds());
  for (std::size_t r = 0; r < ranks.rounds().size(); ++r)
    for (int d = 0; d < ranks.domains(); ++d)
      for (const Share& share : ranks.of(d, r))
        parties.join(d, r, {party_of(share.party), share.pieces, share.bytes, share.ranks});
  return parties;
}

double coalescing(const Job& job, const policy::Domains& domains, const Shares& shares, int ranks) {
  Joined sum;
  const int parties = (job.ranks + ranks - 1) / ranks;
  for (int p = 0; p < sampled_parties; ++p) {
    const int first = p * (parties - 1) / (sampled_parties - 1) * ranks,
              end = std::min(job.ranks, first + ranks);
    int looked = 0;
    for (std::size_t r = 0; r < shares.rounds().size() && looked < sampled_windows; ++r)
      for (int d = 0; d < shares.domains() && looked < sampled_windows; ++d) {
        const std::span<const Share> window = shares.of(d, r);
        const bool touched = std::any_of(window.begin(), window.end(),
                                         [&](const Share& s) { return s.party >= first && s.party < end; });
        if (!touched) continue;
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
