// What launchers' variables tell of the whole job, before MPI begins.
#include "engine/open/job_here.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "environment.hpp"

namespace collio::engine {
namespace {

using test::Environment;

TEST(JobHere, WithoutALauncherThereIsOneNode) {
  const Environment set{};
  EXPECT_EQ(nodes_of_job(), 1);
  const Environment many{{"MPI_LOCALNRANKS", "4"}};
  EXPECT_EQ(nodes_of_job(), 1) << "of one rank, as MPI has not begun";
}

TEST(JobHere, RanksThatALauncherStartedHereCountBeyondTheFilesOwn) {
  const auto cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const double alone = [&] {
    const Environment set{};
    return ranks_per_core_of_job({1, cores});
  }();
  EXPECT_LE(alone, 1);
  const Environment crowded{{"OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(3 * cores)}};
  EXPECT_GE(ranks_per_core_of_job({1, cores}), 3);
}

TEST(JobHere, TheLargestCommunicatorSoFarCounts) {
  const Environment set{};
  EXPECT_EQ(ranks_per_core_of_job({8, 2}), 4);
  EXPECT_EQ(ranks_per_core_of_job({2, 2}), 4) << "how a process waits is for all its files";
  EXPECT_EQ(ranks_per_core_of_job({8, 4}), 2) << "as many, known better by now";
}

}  // namespace
}  // namespace collio::engine
