#include "access/reserve.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace collio::access {
namespace {

/// Takes blocks of `bytes` bytes until there are no more.
std::vector<void*> take_all(std::size_t bytes) {
  std::vector<void*> blocks;
  while (void* block = Reserve::take(bytes)) blocks.push_back(block);
  return blocks;
}

void give_back(const std::vector<void*>& blocks) {
  for (void* block : blocks) Reserve::give_back(block);
}

TEST(Reserve, GivesNothingUnlessItIsInUse) {
  EXPECT_EQ(Reserve::take(10), nullptr);
  const Reserve::Use use;
  void* block = Reserve::take(10);
  ASSERT_NE(block, nullptr);
  Reserve::give_back(block);
}

TEST(Reserve, HoldsWhatItGaveAndNothingElse) {
  const Reserve::Use use;
  void* block = Reserve::take(10);
  int elsewhere = 0;
  EXPECT_TRUE(Reserve::holds(block));
  EXPECT_FALSE(Reserve::holds(&elsewhere));
  EXPECT_FALSE(Reserve::holds(nullptr));
  Reserve::give_back(block);
}

TEST(Reserve, BlocksAreAlignedAndDoNotOverlap) {
  const Reserve::Use use;
  std::vector<unsigned char*> blocks;
  for (std::size_t bytes = 1; bytes < 3000; bytes += 97) {
    auto* block = static_cast<unsigned char*>(Reserve::take(bytes));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0u);
    std::memset(block, static_cast<int>(blocks.size()), bytes);
    blocks.push_back(block);
  }
  std::size_t i = 0;
  for (std::size_t bytes = 1; bytes < 3000; bytes += 97, ++i)
    for (std::size_t at = 0; at < bytes; ++at) ASSERT_EQ(blocks[i][at], i);
  for (unsigned char* block : blocks) Reserve::give_back(block);
}

TEST(Reserve, IsBoundedAndWholeAgainWhenAllHasComeBack) {
  const Reserve::Use use;
  const std::vector<void*> small = take_all(1000);
  EXPECT_EQ(small.size(), Reserve::bytes / 1024);
  EXPECT_EQ(Reserve::take(1), nullptr);
  give_back(small);
  const std::vector<void*> large = take_all(Reserve::bytes - 16);
  EXPECT_EQ(large.size(), 1u);
  give_back(large);
}

TEST(Reserve, GivesNothingToAThreadThatAbstains) {
  const Reserve::Use use;
  const Reserve::Abstain abstain;
  EXPECT_EQ(Reserve::take(10), nullptr);
}

TEST(Reserve, TakesBlocksBackWhenItIsNotInUseAnyMore) {
  void* block = nullptr;
  {
    const Reserve::Use use;
    block = Reserve::take(10);
  }
  ASSERT_NE(block, nullptr);
  Reserve::give_back(block);
  EXPECT_EQ(Reserve::take(10), nullptr);
}

}  // namespace
}  // namespace collio::access
