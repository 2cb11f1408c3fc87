// Which elements of an array no rank has: cover_of() of decomposition.hpp.
//
// Runs tile [0, n) exactly if, and (odds of 2^-64 aside) only if, the sum of H(begin) - H(end) over all runs
// is H(0) - H(n), for a 64-bit hash H: the check of src/core/tiling.hpp.
#include <algorithm>

#include "exchange.hpp"

namespace collio::pio {

namespace {

/// SplitMix64's finalizer (Steele, Lea & Flood, OOPSLA 2014).
std::uint64_t hash(std::int64_t x) {
  auto z = static_cast<std::uint64_t>(x) + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

bool tiles(const System& system, std::int64_t elements, const std::vector<Run>& mine, std::int64_t doubled) {
  std::uint64_t sums[2] = {0, doubled >= 0 ? std::uint64_t{1} : 0};
  for (const Run& run : mine) sums[0] += hash(run.begin) - hash(run.end);
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, system.comm);
  return sums[0] == hash(0) - hash(elements) && sums[1] == 0;
}

/// What of a share is in no run, and an element that is in two.
void find_holes(std::vector<Run>& runs, Run share, Cover& cover) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
  std::int64_t at = share.begin;
  for (const Run& run : runs) {
    if (run.begin < at) cover.doubled = std::max(cover.doubled, run.begin);
    if (run.begin > at) cover.holes.push_back({at, run.begin});
    at = std::max(at, run.end);
  }
  if (at < share.end) cover.holes.push_back({at, share.end});
}

}  // namespace

Failure cover_of(const System& system, const char* function, std::int64_t array_elements,
                 const std::vector<Run>& mine, Cover& cover) {
  cover.exact = tiles(system, array_elements, mine, cover.doubled);
  if (cover.exact) return {};
  const Shares shares(system, array_elements);
  RunsByRank held;
  Failure failure =
      exchange(system, function, {exchange_of_cover, [&] { return shares.by_owner(mine); }}, held);
  if (!failure)
    failure = with_memory(function, [&]() -> Failure {
      std::vector<Run> runs;
      for (const auto& [rank, of_rank] : held) runs.insert(runs.end(), of_rank.begin(), of_rank.end());
      find_holes(runs, shares.of(system.rank), cover);
      return {};
    });
  MPI_Allreduce(MPI_IN_PLACE, &cover.doubled, 1, MPI_INT64_T, MPI_MAX, system.comm);
  return failure;
}

}  // namespace collio::pio
