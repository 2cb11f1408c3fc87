// Buffers come back, fit, and do not pile up.
#include "exchange/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace collio::exchange {
namespace {

TEST(BufferPool, GivesWhatWasAskedFor) {
  BufferPool pool;
  for (const std::size_t bytes : {0u, 1u, 4096u, 100000u, 5u << 20}) {
    Buffer b = pool.take(bytes);
    ASSERT_TRUE(b);
    ASSERT_GE(b.capacity(), bytes);
    if (bytes > 0) std::memset(b.data(), 1, bytes);
    pool.give_back(std::move(b));
  }
}

TEST(BufferPool, ReusesABufferOfSimilarSize) {
  BufferPool pool;
  Buffer first = pool.take(100000);
  const std::byte* where = first.data();
  pool.give_back(std::move(first));
  EXPECT_EQ(pool.take(90000).data(), where);
}

TEST(BufferPool, BuffersInUseAreDistinct) {
  BufferPool pool;
  Buffer a = pool.take(1000), b = pool.take(1000);
  EXPECT_NE(a.data(), b.data());
}

TEST(BufferPool, TrimmedToNothingKeepsNothing) {
  BufferPool pool;
  for (const std::size_t bytes : {1u << 20, 2u << 20, 3u << 20}) pool.give_back(Buffer(bytes));
  pool.trim(0);
  Buffer fresh = pool.take(1 << 14);
  EXPECT_LE(fresh.capacity(), std::size_t{1} << 20) << "a kept buffer survived";
}

TEST(BufferPool, TakesBackAnEmptyBuffer) {
  BufferPool pool;
  pool.give_back(Buffer());
  EXPECT_TRUE(pool.take(10));
}

}  // namespace
}  // namespace collio::exchange
