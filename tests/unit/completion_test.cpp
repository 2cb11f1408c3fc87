// How a call ended for its caller, by the errors of its ranks: bytes below the first one that failed count.
#include <gtest/gtest.h>

#include "engine/moving/call.hpp"

namespace collio::engine {
namespace {

using core::ErrorClass;
using policy::Direction;

/// 10 pieces of 8 bytes, 32 bytes apart, from file byte 100 on; without the first `skipped` data bytes.
access::FileAccess pieces(std::int64_t skipped = 0) {
  const auto type =
      std::make_shared<const access::TypeLayout>(access::TypeLayout{core::Pattern::contiguous(0, 8), 0, 32});
  return access::file_access({100, 1, type}, skipped, 80 - skipped);
}

PathResult failed_at(std::int64_t offset, std::int64_t moved = 0) {
  PathResult result;
  result.note(offset, {moved, {ErrorClass::io, "disk"}});
  return result;
}

TEST(PathResult, KeepsTheWorstErrorAndTheLowestByteThatFailed) {
  PathResult result;
  result.note(500, {40, {ErrorClass::io, "first"}});
  result.note(700, {0, {ErrorClass::no_space, "worse"}});
  result.note(300, {10, {ErrorClass::io, "lower"}});
  result.note(0, {0, {}});
  EXPECT_EQ(result.outcome.error, static_cast<std::int64_t>(ErrorClass::no_space));
  EXPECT_EQ(result.message, "worse");
  EXPECT_EQ(result.outcome.intact_below, 310);
}

TEST(Completion, WithoutErrorAWriteMovedAllAndAReadWhatCame) {
  PathResult moved;
  moved.bytes = 24;
  EXPECT_EQ(completion_of(Direction::write, pieces(), moved).bytes, 80);
  const Completion read = completion_of(Direction::read, pieces(), moved);
  EXPECT_EQ(read.bytes, 24);
  EXPECT_TRUE(read.error.ok() && !read.native && !read.record);
}

TEST(Completion, OfAFailedWriteBytesBelowTheFirstErrorCount) {
  const auto written = [](std::int64_t below) {
    return completion_of(Direction::write, pieces(), failed_at(below)).bytes;
  };
  EXPECT_EQ(written(0), 0);
  EXPECT_EQ(written(100), 0);
  EXPECT_EQ(written(103), 3);
  EXPECT_EQ(written(120), 8) << "in the hole after the first piece";
  EXPECT_EQ(written(132 + 5), 13);
  EXPECT_EQ(written(1 << 20), 80) << "another rank's bytes failed, after all of these";
}

TEST(Completion, CountsFromThisRanksFirstByteOn) {
  EXPECT_EQ(completion_of(Direction::write, pieces(4), failed_at(103)).bytes, 0);
  EXPECT_EQ(completion_of(Direction::write, pieces(4), failed_at(106)).bytes, 2);
  EXPECT_EQ(completion_of(Direction::write, pieces(4), failed_at(1 << 20)).bytes, 76);
}

TEST(Completion, OfAFailedReadNoByteCountsThatDidNotCome) {
  PathResult moved = failed_at(132 + 5);
  moved.bytes = 10;
  EXPECT_EQ(completion_of(Direction::read, pieces(), moved).bytes, 10);
  moved.bytes = 80;
  const Completion done = completion_of(Direction::read, pieces(), moved);
  EXPECT_EQ(done.bytes, 13);
  EXPECT_EQ(done.error.kind, ErrorClass::io);
  EXPECT_EQ(done.error.message, "disk");
}

TEST(Completion, OfPiecesWithoutOrderNoneCountsAfterAnError) {
  const auto pattern = core::Pattern::contiguous(64, 8).repeated({2, -32});
  ASSERT_FALSE(pattern.ascending());
  access::FileAccess access = access::whole_access(pattern);
  EXPECT_EQ(completion_of(Direction::write, access, failed_at(1 << 20)).bytes, 0);
  EXPECT_EQ(completion_of(Direction::write, access, {}).bytes, 16);
}

}  // namespace
}  // namespace collio::engine
