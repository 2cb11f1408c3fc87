// Which elements of an array no rank has: cover_of() of decomposition.hpp.
//
// Runs tile [0, n) exactly if, and but for odds of 2^-64 only if, the sum of H(begin) - H(end) over all runs
// is H(0) - H(n), for a 64-bit hash H: the check of src/core/tiling.hpp.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

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

/// Runs of a message, at most: a rank without memory has room for one still.
constexpr std::size_t most_runs = 1024;

/// What a rank sends.
struct Outgoing {
  std::map<int, std::vector<Run>> runs;  ///< by owner
  std::vector<MPI_Request> messages;     ///< MPI_REQUEST_NULL until they are sent

  Outgoing(const std::vector<Run>& mine, std::int64_t share) : runs(by_owner(mine, share)) {
    std::size_t count = 0;
    for (const auto& [owner, part] : runs) count += (part.size() + most_runs - 1) / most_runs;
    messages.resize(count, MPI_REQUEST_NULL);
  }
};

void send(const System& system, Outgoing& out) {
  auto message = out.messages.begin();
  for (const auto& [owner, runs] : out.runs)
    for (std::size_t i = 0; i < runs.size(); i += most_runs) {
      const auto numbers = static_cast<int>(std::min(most_runs, runs.size() - i)) * int64s_per_run;
      MPI_Issend(runs.data() + i, numbers, MPI_INT64_T, owner, tag, system.comm, &*message++);
    }
}

/// Appends what a rank has sent. Received even if there is no memory to append it: its sender waits.
void receive(const System& system, MPI_Status& status, std::vector<Run>& received) {
  std::array<Run, most_runs> message;
  int numbers = 0;
  MPI_Get_count(&status, MPI_INT64_T, &numbers);
  MPI_Recv(message.data(), numbers, MPI_INT64_T, status.MPI_SOURCE, tag, system.comm, MPI_STATUS_IGNORE);
  received.insert(received.end(), message.begin(), message.begin() + numbers / int64s_per_run);
}

/// Receives what other ranks have of this rank's share until all ranks are done. Nobody knows how many will
/// send: a rank enters the barrier when its own messages have been received, and the barrier is complete when
/// all have. Without memory goes on to receive, and fails then.
Failure collect_share(const System& system, const char* function, std::vector<MPI_Request>& sends,
                      std::vector<Run>& received) {
  Failure failure;
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (bool in_barrier = false, done = false; !done;) {
    int there = 0, flag = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, system.comm, &there, &status);
    if (there) {
      keep_worse(failure, with_memory(function, [&]() -> Failure {
                   receive(system, status, received);
                   return {};
                 }));
      if (failure) std::vector<Run>().swap(received);
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
  return failure;
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
  const std::int64_t share = std::max<std::int64_t>(1, (array_elements + system.size - 1) / system.size);
  const std::int64_t begin = std::min(array_elements, share * system.rank);
  std::optional<Outgoing> out;
  std::vector<MPI_Request> none;
  std::vector<Run> runs;
  Failure failure = with_memory(function, [&]() -> Failure {
    out.emplace(mine, share);
    return {};
  });
  if (out) send(system, *out);
  keep_worse(failure, collect_share(system, function, out ? out->messages : none, runs));
  if (!failure)
    failure = with_memory(function, [&]() -> Failure {
      find_holes(runs, {begin, std::min(array_elements, begin + share)}, cover);
      return {};
    });
  MPI_Allreduce(MPI_IN_PLACE, &cover.doubled, 1, MPI_INT64_T, MPI_MAX, system.comm);
  return failure;
}

}  // namespace collio::pio
