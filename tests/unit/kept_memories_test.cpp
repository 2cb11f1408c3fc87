// The memories of closed files are found by key, once.
#include "engine/file/kept_memories.hpp"

#include <gtest/gtest.h>

namespace collio::engine {
namespace {

PlanMemory with_a_pattern(std::uint64_t token) {
  PlanMemory memory;
  memory.set_token(token);
  memory.remember({0,
                   policy::Direction::write,
                   {1, 0, 8},
                   {},
                   false,
                   false,
                   policy::CallTrials({policy::OpenWay{}}),
                   {}});
  return memory;
}

/// Of the memory that is taken; 0: none is kept.
std::uint64_t taken_token(const MemoryKey& key) {
  const std::optional<PlanMemory> taken = take_memory(key);
  return taken ? taken->token() : 0;
}

TEST(KeptMemories, GiveAMemoryOnceToWhoHasTheKey) {
  const MemoryKey key{.setting = 101, .rank = 1, .size = 4};
  keep_memory(key, with_a_pattern(7));
  EXPECT_EQ(taken_token({.setting = 101, .rank = 2, .size = 4}), 0U);
  EXPECT_EQ(taken_token(key), 7U);
  EXPECT_EQ(taken_token(key), 0U);
}

TEST(KeptMemories, GiveTheLatestOfAKey) {
  const MemoryKey key{.setting = 102};
  keep_memory(key, with_a_pattern(1));
  keep_memory(key, with_a_pattern(2));
  EXPECT_EQ(taken_token(key), 2U);
  EXPECT_EQ(taken_token(key), 1U);
}

TEST(KeptMemories, LeaveOutWhatIsOfNoUse) {
  const MemoryKey key{.setting = 103};
  keep_memory(key, with_a_pattern(0));
  PlanMemory empty;
  empty.set_token(3);
  keep_memory(key, std::move(empty));
  EXPECT_EQ(taken_token(key), 0U);
}

TEST(KeptMemories, AreFew) {
  const MemoryKey first{.setting = 104};
  keep_memory(first, with_a_pattern(1));
  for (std::uint64_t k = 0; k < 100; ++k) keep_memory({.setting = 1000 + k}, with_a_pattern(2 + k));
  EXPECT_EQ(taken_token(first), 0U);
  EXPECT_EQ(taken_token({.setting = 1099}), 101U);
}

TEST(KeptMemories, TokensAreNeverZero) {
  const std::uint64_t one = new_token(), other = new_token();
  EXPECT_NE(one, 0U);
  EXPECT_NE(one, other);
}

}  // namespace
}  // namespace collio::engine
