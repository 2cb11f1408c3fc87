// Ranks that wait in a reduction for a late one poll where each has a core: along a tree of nodes naps would
// add up. Where they share cores they nap. For one rank a node.
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "in_front.hpp"
#include "pieces.hpp"

using namespace collio::test;

namespace {

long longest_nap_ns = 0, naps = 0;

}  // namespace

extern "C" int nanosleep(const timespec* time, timespec* left) {
  static const auto real = COLLIO_BEHIND(nanosleep);
  if (from_engine(__builtin_return_address(0)))
    ++naps, longest_nap_ns = std::max(longest_nap_ns, time->tv_nsec);
  return real(time, left);
}

int main(int argc, char** argv) {
  Program program(argc, argv, 50);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const bool free_cores = sysconf(_SC_NPROCESSORS_ONLN) >= program.size;
  PieceFile file(program, MPI_COMM_WORLD, program.temporary("naps"), {});
  Deal nothing(static_cast<std::size_t>(program.size));
  for (const long late_ns : {20'000'000L, 20'000'000L, 300'000'000L}) {
    const double begin_s = MPI_Wtime();
    longest_nap_ns = naps = 0;
    if (program.rank > 0) {
      const timespec late{0, late_ns};
      nanosleep(&late, nullptr);
    }
    file.write(nothing);
    const double waited_s = MPI_Wtime() - begin_s;
    const std::string what = std::to_string(naps) + " naps of at most " + std::to_string(longest_nap_ns) +
                             " ns in " + std::to_string(waited_s) + " s of a reduction";
    if (free_cores) {
      program.that(waited_s > 0.1 || naps == 0, what.c_str());
      program.that(static_cast<double>(longest_nap_ns) <= std::max(50e3, 0.0005 * waited_s * 1e9),
                   what.c_str());
    }
    const bool long_wait = program.rank == 0 && late_ns * 1e-9 > (free_cores ? 0.2 : 0);
    program.that(!long_wait || naps > 0, what.c_str());
  }
  file.close();
  return program.finish();
}
