// Which elements of an array no rank has: cover_of() of decomposition.hpp.
//
// Runs tile [0, n) exactly if, and but for odds of 2^-64 only if, the sum of H(begin) - H(end) over all runs
// is H(0) - H(n), for a 64-bit hash H: the check of src/core/tiling.hpp.
#include <algorithm>
#include <map>

#include "decomposition.hpp"

namespace collio::pio {

namespace {

constexpr int tag = 1;

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

/// The runs, cut where shares of `share` elements end, by the rank that owns the share.
std::map<int, std::vector<Run>> by_owner(const std::vector<Run>& mine, std::int64_t share) {
  std::map<int, std::vector<Run>> cut;
  for (Run run : mine)
    while (run.begin < run.end) {
      const std::int64_t owner = run.begin / share;
      const std::int64_t end = std::min(run.end, (owner + 1) * share);
      cut[static_cast<int>(owner)].push_back({run.begin, end});
      run.begin = end;
    }
  return cut;
}

constexpr int int64s_per_run = 2;

/// Receives what other ranks have of this rank's share until all ranks are done. Nobody knows how many will
/// send: a rank enters the barrier when its own messages have been received, and the barrier is complete when
/// all have.
std::vector<Run> collect_share(const System& system, const std::map<int, std::vector<Run>>& cut) {
  std::vector<MPI_Request> sends;
  for (const auto& [owner, runs] : cut) {
    sends.emplace_back();
    MPI_Issend(runs.data(), static_cast<int>(runs.size()) * int64s_per_run, MPI_INT64_T, owner, tag,
               system.comm, &sends.back());
  }
  std::vector<Run> received;
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (bool in_barrier = false, done = false; !done;) {
    int there = 0, flag = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, system.comm, &there, &status);
    if (there) {
      int numbers = 0;
      MPI_Get_count(&status, MPI_INT64_T, &numbers);
      const std::size_t before = received.size();
      received.resize(before + static_cast<std::size_t>(numbers / int64s_per_run));
      MPI_Recv(received.data() + before, numbers, MPI_INT64_T, status.MPI_SOURCE, tag, system.comm,
               MPI_STATUS_IGNORE);
    }
    if (in_barrier) {
      MPI_Test(&barrier, &flag, MPI_STATUS_IGNORE);
      done = flag != 0;
    } else {
      MPI_Testall(static_cast<int>(sends.size()), sends.data(), &flag, MPI_STATUSES_IGNORE);
      if (flag) MPI_Ibarrier(system.comm, &barrier);
      in_barrier = flag != 0;
    }
  }
  return received;
}

}  // namespace

Cover cover_of(const System& system, std::int64_t array_elements, const std::vector<Run>& mine,
               std::int64_t doubled) {
  Cover cover;
  cover.exact = tiles(system, array_elements, mine, doubled);
  if (cover.exact) return cover;
  const std::int64_t share = std::max<std::int64_t>(1, (array_elements + system.size - 1) / system.size);
  std::vector<Run> runs = collect_share(system, by_owner(mine, share));
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
  const std::int64_t begin = std::min(array_elements, share * system.rank);
  const std::int64_t end = std::min(array_elements, begin + share);
  std::int64_t at = begin;
  for (const Run& run : runs) {
    if (run.begin < at) doubled = std::max(doubled, run.begin);
    if (run.begin > at) cover.holes.push_back({at, run.begin});
    at = std::max(at, run.end);
  }
  if (at < end) cover.holes.push_back({at, end});
  MPI_Allreduce(&doubled, &cover.doubled, 1, MPI_INT64_T, MPI_MAX, system.comm);
  return cover;
}

}  // namespace collio::pio
