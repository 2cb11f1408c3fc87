#include "cache_line.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <system_error>
#include <thread>

#include "operation.hpp"

namespace collio::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int rounds = 200;  // in one measurement: less than a time slice, so that some are undisturbed
constexpr std::chrono::milliseconds enough{8};   // for measuring
constexpr std::chrono::milliseconds most{2000};  // for the first measurement to come about
constexpr double farthest_ns = 10'000;  // above it a core was taken away meanwhile: no line is that far
constexpr std::uint32_t over = 0xffffffff;

/// The cores that any rank of this machine may run on. Collective.
[[nodiscard]] cpu_set_t cores_here() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, machine);
  MPI_Comm_free(&machine);
  return cores;
}

[[nodiscard]] bool bind_to(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

/// This thread and another, each bound to a core, take turns in raising one word.
class Pair {
 public:
  std::int64_t measure(int first, int last) {
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    std::thread answering([this, last] { answer(last); });
    const std::int64_t best = ask(first);
    answering.join();
    sched_setaffinity(0, sizeof before, &before);
    return best;
  }

 private:
  void answer(int core) {
    if (!bind_to(core)) word_ = over;
    for (std::uint32_t seen = 0; (seen = word_) != over;)
      if (seen % 2 == 1 && !word_.compare_exchange_strong(seen, seen + 1)) return;
  }

  std::int64_t ask(int core) {
    double best = std::numeric_limits<double>::infinity();
    const Clock::time_point begin = Clock::now();
    for (Clock::time_point now = begin; bind_to(core) && now - begin < (std::isinf(best) ? most : enough);) {
      if (!take_turns(begin + most)) break;
      const Clock::time_point end = Clock::now();
      best = std::min(best, std::chrono::duration<double, std::nano>(end - now).count() / (2 * rounds));
      now = end;
    }
    word_ = over;
    return best > farthest_ns ? -1 : std::llround(best);
  }

  /// False: the other thread is not there, or out of time.
  bool take_turns(Clock::time_point until) {
    for (int i = 0; i < rounds; ++i) {
      std::uint32_t mine = word_;
      if (mine == over || !word_.compare_exchange_strong(mine, mine + 1)) return false;
      for (int spins = 1; word_ == mine + 1; ++spins)
        if (spins % 100'000 == 0 && Clock::now() > until) return false;
    }
    return true;
  }

  alignas(128) std::atomic<std::uint32_t> word_{0};
};

[[nodiscard]] std::int64_t between(const cpu_set_t& cores) {
  int first = -1, last = -1;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores)) first = first < 0 ? core : first, last = core;
  if (first == last) return -1;
  try {
    return Pair().measure(first, last);
  } catch (const std::system_error&) {
    return -1;
  }
}

}  // namespace

std::int64_t cache_line_ns() {
  const cpu_set_t cores = cores_here();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::int64_t ns = rank == 0 ? between(cores) : -1;
  rest_until_all_are_here();
  MPI_Bcast(&ns, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return ns;
}

}  // namespace collio::bench
