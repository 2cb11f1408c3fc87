// Descriptors above the soft limit, which stays as it is.
#include "storage/high_descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace collio::storage {
namespace {

rlimit descriptors() {
  rlimit limit{};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  return limit;
}

/// Before any test opens a file: numbers above the limit remain where a shell's two limits are the same.
const bool room_is_made = [] {
  const rlimit limit = descriptors();
  const rlimit half{limit.rlim_max / 2, limit.rlim_max};
  return limit.rlim_cur < limit.rlim_max || ::setrlimit(RLIMIT_NOFILE, &half) == 0;
}();

TEST(HighDescriptor, IsAboveTheSoftLimitWhichStays) {
  ASSERT_TRUE(room_is_made);
  const rlimit before = descriptors();
  const int low = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int high = moved_high(low);
  EXPECT_GE(high, static_cast<int>(before.rlim_cur));
  EXPECT_EQ(::fcntl(low, F_GETFD), -1);
  EXPECT_EQ(::fcntl(high, F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(descriptors().rlim_cur, before.rlim_cur);
  const rlimit lower{before.rlim_cur / 2, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  const int other = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(moved_high(other), other) << "the program has lowered its limit";
  ::close(high);
  ::close(other);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(HighDescriptor, NoDescriptorStaysNone) { EXPECT_EQ(moved_high(-1), -1); }

}  // namespace
}  // namespace collio::storage
