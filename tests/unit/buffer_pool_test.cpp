// Buffers come back, fit, and do not pile up.
#include "transport/messages/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <new>

namespace collio::transport {
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

TEST(BufferPool, WithoutMemoryForANewBufferAKeptOneServes) {
  BufferPool pool;
  pool.give_back(pool.take(8 << 20));
  pool.fail_allocations(1, 1000);
  Buffer large = pool.take(100);  // much smaller, and all there is
  EXPECT_GE(large.capacity(), 8u << 20);
  EXPECT_THROW(static_cast<void>(pool.take(100)), std::bad_alloc);
  pool.give_back(std::move(large));
  EXPECT_TRUE(pool.take(100));
}

TEST(BufferPool, KeptBuffersGiveTheirMemoryToALargerOne) {
  BufferPool pool;
  Buffer one = pool.take(100000), two = pool.take(200000);
  pool.give_back(std::move(one));
  pool.give_back(std::move(two));
  pool.fail_allocations(1, 1);
  EXPECT_GE(pool.take(1 << 20).capacity(), 1u << 20);
}

TEST(BufferPool, BuffersThatAnotherPoolTakesOverAreReusedThere) {
  BufferPool one, other;
  Buffer first = one.take(100000), second = one.take(1 << 20);  // there is room for the first alone
  const std::byte* where = first.data();
  one.give_back(std::move(first));
  one.give_back(std::move(second));
  other.keep_at_most(200000);
  other.take_over(one);
  const Buffer taken = other.take(100000);  // freed, its address could be any buffer's
  EXPECT_EQ(taken.data(), where);
  EXPECT_NE(one.take(100000).data(), where);
}

TEST(BufferPool, ThePeakIsWhatBuffersHadTogether) {
  BufferPool pool;
  Buffer kept = pool.take(1 << 20);
  const std::size_t before = Buffer::take_peak();
  Buffer::take_peak();
  { const Buffer one = pool.take(1 << 20), two = pool.take(1 << 20); }
  EXPECT_GE(Buffer::take_peak(), 3u << 20);
  EXPECT_LE(Buffer::take_peak(), before);
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
}  // namespace collio::transport
