// Files whose paths differ in numbers only are of one kind.
#include "observe/path_pattern.hpp"

#include <gtest/gtest.h>

namespace collio::observe {
namespace {

TEST(PathPattern, HasOneSignForEachNumber) {
  EXPECT_EQ(path_pattern("/scratch/out.0017.nc"), "/scratch/out.#.nc");
  EXPECT_EQ(path_pattern("/scratch/out.9.nc"), path_pattern("/scratch/out.1000000.nc"));
  EXPECT_EQ(path_pattern("/run7/7"), "/run#/#");
}

TEST(PathPattern, LeavesOtherPathsAlone) {
  EXPECT_EQ(path_pattern("/scratch/out.nc"), "/scratch/out.nc");
  EXPECT_EQ(path_pattern(""), "");
}

}  // namespace
}  // namespace collio::observe
