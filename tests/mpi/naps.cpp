// Ranks that wait in a reduction for a late one do not nap long where each has a core: along a tree of nodes
// naps would add up. For one rank a node.
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "in_front.hpp"
#include "pieces.hpp"

using namespace collio::test;

namespace {

long longest_nap_ns = 0;

}  // namespace

extern "C" int nanosleep(const timespec* time, timespec* left) {
  static const auto real = COLLIO_BEHIND(nanosleep);
  if (from_engine(__builtin_return_address(0))) longest_nap_ns = std::max(longest_nap_ns, time->tv_nsec);
  return real(time, left);
}

int main(int argc, char** argv) {
  Program program(argc, argv, 50);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (sysconf(_SC_NPROCESSORS_ONLN) < program.size) return program.skip("each rank needs a core");
  PieceFile file(program, MPI_COMM_WORLD, program.temporary("naps"), {});
  Deal nothing(static_cast<std::size_t>(program.size));
  for (int i = 0; i < 5; ++i) {
    const double begin_s = MPI_Wtime();
    longest_nap_ns = 0;
    if (program.rank > 0) {
      const timespec late{0, 20'000'000};
      nanosleep(&late, nullptr);
    }
    file.write(nothing);
    const double waited_ns = 1e9 * (MPI_Wtime() - begin_s);
    program.that(static_cast<double>(longest_nap_ns) <= std::max(25'000.0, waited_ns / 1000),
                 ("a nap of " + std::to_string(longest_nap_ns) + " ns in a reduction").c_str());
  }
  file.close();
  return program.finish();
}
