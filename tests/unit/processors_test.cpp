// The processors that a process may run on.
#include "engine/open/processors.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <thread>

namespace collio::engine {
namespace {

TEST(Processors, AMaskIsABitAProcessor) {
  const machine::CpuSet set = cpu_set({0b101, std::uint64_t{1} << 63});
  ASSERT_EQ(set.size(), 128U);
  for (std::size_t at = 0; at < set.size(); ++at) EXPECT_EQ(set[at], at == 0 || at == 2 || at == 127) << at;
  EXPECT_TRUE(cpu_set({}).empty());
}

TEST(Processors, AreThoseOfTheThreadsAffinity) {
  const machine::CpuSet all = cpu_set(own_processors());
  const auto first = std::ranges::find(all, true);
  ASSERT_NE(first, all.end());
  const auto number = static_cast<std::size_t>(first - all.begin());
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(number, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const machine::CpuSet now = cpu_set(own_processors());
    EXPECT_EQ(std::ranges::count(now, true), 1);
    EXPECT_TRUE(now[number]);
  }).join();
  EXPECT_EQ(cpu_set(own_processors()), all);
}

}  // namespace
}  // namespace collio::engine
