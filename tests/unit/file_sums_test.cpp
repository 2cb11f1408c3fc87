// Records of calls added up over files of one kind.
#include "engine/report/file_sums.hpp"

#include <gtest/gtest.h>

namespace collio::engine {
namespace {

CallSums call_of(const std::string& operation, std::int64_t aggregators = 1) {
  CallSums call;
  call.record.operation = operation;
  call.record.aggregators = aggregators;
  call.record.span_bytes = 100;
  call.record.estimate_s = 1;
  call.record.forecast_s = 2;
  call.record.longest_s = 3;
  call.counted.bytes = 10;
  call.seconds.total = {1, 2, 3};
  return call;
}

TEST(FileSums, SimilarCallsAreOneRecordAndOthersStay) {
  FileSums sums;
  sums.calls = {call_of("write_all"), call_of("read_all")};
  FileSums more;
  more.calls = {call_of("read_all"), call_of("write_all", 2)};
  sums.add(more);
  ASSERT_EQ(sums.calls.size(), 3U);
  const CallSums& reads = sums.calls[1];
  EXPECT_EQ(reads.record.repeats, 2);
  EXPECT_EQ(reads.record.span_bytes, 200);
  EXPECT_EQ(reads.record.estimate_s, 2);
  EXPECT_EQ(reads.record.forecast_s, 4);
  EXPECT_EQ(reads.record.longest_s, 6);
  EXPECT_EQ(reads.counted.bytes, 20);
  EXPECT_EQ(reads.seconds.total.min, 2);
  EXPECT_EQ(reads.seconds.total.max, 6);
  EXPECT_EQ(sums.calls[0].record.repeats, 1);
}

TEST(FileSums, BlockingAndNonblockingCallsStayApart) {
  FileSums sums, more;
  sums.calls = {call_of("write_all")};
  more.calls = {call_of("write_all")};
  more.calls[0].record.form = observe::Form::nonblocking;
  sums.add(more);
  EXPECT_EQ(sums.calls.size(), 2U);
}

TEST(FileSums, TheRankOfTheLongerWaitAndOfTheLongerAccessIsNamed) {
  CallSums one = call_of("write_all"), other = one;
  one.last_rank = 1, one.slowest_rank = 2;
  other.last_rank = 3, other.slowest_rank = 4;
  one.seconds.digest = {0, 0, 5}, other.seconds.digest = {5, 5, 7};
  one.seconds.write = {0, 0, 1}, other.seconds.write = {0, 0, 2};
  one.add(other);
  EXPECT_EQ(one.last_rank, 1) << "5 s of waiting against 2";
  EXPECT_EQ(one.slowest_rank, 4);
}

TEST(FileSums, CallsBeyondANumberAreFoldedIntoTheirOperation) {
  constexpr std::size_t most = observe::CallLog::most_records;
  FileSums sums;
  sums.calls = {call_of("read_all")};
  for (std::size_t i = 1; i < most; ++i)
    sums.calls.push_back(call_of("write_all", static_cast<std::int64_t>(i)));
  FileSums more;
  more.calls = {call_of("read_all", 1000), call_of("preallocate", 1)};
  sums.add(more);
  ASSERT_EQ(sums.calls.size(), most);
  EXPECT_EQ(sums.calls[0].record.repeats, 2);
  EXPECT_EQ(sums.calls[0].record.reason, "various: more calls than the report holds");
  EXPECT_EQ(sums.calls.back().record.repeats, 2) << "of an operation that has no record: the last";
  std::int64_t bytes = 0;
  for (const CallSums& call : sums.calls) bytes += call.counted.bytes;
  EXPECT_EQ(bytes, 10 * static_cast<std::int64_t>(most + 2)) << "no byte is lost";
}

TEST(FileSums, WhatIsNotOfCallsIsAddedUpToo) {
  FileSums sums, more;
  sums.line.independent_calls = 3, more.line.independent_calls = 4;
  sums.line.library_calls = 1, more.line.library_calls = 2;
  sums.line.seconds.open = {1, 1, 1}, more.line.seconds.open = {2, 3, 4};
  more.line.about.nodes = 7;
  more.line.pnetcdf.emplace();
  sums.add(more);
  EXPECT_EQ(sums.line.independent_calls, 7);
  EXPECT_EQ(sums.line.library_calls, 3);
  EXPECT_EQ(sums.line.seconds.open.max, 5);
  EXPECT_EQ(sums.line.about.nodes, 7) << "of the latest file";
  EXPECT_TRUE(sums.line.pnetcdf);
}

}  // namespace
}  // namespace collio::engine
