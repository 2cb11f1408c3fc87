// What a file remembers of its calls: similar ones folded, never more than a bound.
#include "observe/call_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace collio::observe {
namespace {

CallRecord call(const std::string& operation, std::int64_t bytes) {
  CallRecord r;
  r.operation = operation;
  r.path = "two_phase";
  r.total_s = 1;
  r.span_bytes = bytes;
  r.counters.bytes = bytes;
  return r;
}

const auto why = [] { return std::string("small pieces"); };

TEST(CallLog, FoldsSimilarCallsInARow) {
  CallLog log;
  for (int i = 0; i < 5; ++i) log.add(call("write_all", 10), why);
  log.add(call("read_all", 7), why);
  log.add(call("write_all", 10), why);
  ASSERT_EQ(log.records().size(), 3u);
  EXPECT_EQ(log.records()[0].repeats, 5);
  EXPECT_EQ(log.records()[0].counters.bytes, 50);
  EXPECT_EQ(log.records()[0].span_bytes, 50);
  EXPECT_DOUBLE_EQ(log.records()[0].total_s, 5);
  EXPECT_EQ(log.records()[1].operation, "read_all");
}

TEST(CallLog, KeysFindARecordInALogThatLacksAnother) {
  CallLog whole, gap;
  for (const char* operation : {"write_all", "read_all", "write_all", "read_all"}) {
    whole.add(call(operation, 10), why);
    if (std::string(operation) == "read_all")
      gap.add(call(operation, 10), why), gap.add(call("write", 1), why);
  }
  const auto keys = whole.keys(), others = gap.keys();
  ASSERT_EQ(keys.size(), 4u);
  EXPECT_NE(keys[0], keys[2]) << "similar calls, not in a row";
  EXPECT_EQ(others[0], keys[1]);
  EXPECT_EQ(others[2], keys[3]);
  EXPECT_EQ(std::ranges::count(keys, others[1]), 0);
}

TEST(CallLog, AsksForTheReasonOnceARecord) {
  CallLog log;
  int asked = 0;
  const auto counted = [&asked] { return "reason " + std::to_string(++asked); };
  CallRecord other = call("write_all", 10);
  other.reason_key = 1;
  for (const CallRecord& one : {call("write_all", 10), call("write_all", 10), other, other})
    log.add(one, counted);
  ASSERT_EQ(log.records().size(), 2u);
  EXPECT_EQ(log.records()[0].reason, "reason 1");
  EXPECT_EQ(log.records()[1].reason, "reason 2");
}

TEST(CallLog, IsBoundedAndLosesNoByte) {
  CallLog log;
  const std::size_t calls = 3 * CallLog::most_records;
  for (std::size_t i = 0; i < calls; ++i) {
    CallRecord one = call(i % 2 ? "write_all" : "read_all", 1);
    one.reason_key = i;
    log.add(one, why);
  }
  EXPECT_EQ(log.records().size(), CallLog::most_records);
  std::int64_t bytes = 0, repeats = 0;
  for (const CallRecord& r : log.records()) {
    bytes += r.counters.bytes;
    repeats += r.repeats;
  }
  EXPECT_EQ(bytes, static_cast<std::int64_t>(calls));
  EXPECT_EQ(repeats, static_cast<std::int64_t>(calls));
}

TEST(CallLog, KeepsFewRecordsOfCallsInTurns) {
  CallLog log;
  for (std::size_t i = 0; i < 1000; ++i) log.add(call(i % 2 ? "write_all" : "read_all", 1), why);
  EXPECT_EQ(log.records().size(), CallLog::most_in_order);
  EXPECT_EQ(log.records().back().operation, "write_all");
  EXPECT_EQ(log.records().back().reason, "small pieces");
  log.add(call("write_at_all", 1), why);
  EXPECT_EQ(log.records().back().operation, "write_at_all");
}

TEST(CallLog, AddsUpWhatACallCostTheProgram) {
  CallLog log;
  log.add(call("write_all", 10), why);
  const std::size_t first = log.add(call("iwrite_all", 10), why);
  const std::size_t second = log.add(call("iwrite_all", 10), why);
  EXPECT_EQ(first, second);
  log.note(second, {.post_s = 1, .waited_s = 2, .hidden_s = 3});
  log.note(first, {.post_s = 10, .waited_s = 20, .hidden_s = 30});
  ASSERT_EQ(log.records().size(), 2u);
  EXPECT_DOUBLE_EQ(log.records()[1].post_s, 11);
  EXPECT_DOUBLE_EQ(log.records()[1].waited_s, 22);
  EXPECT_DOUBLE_EQ(log.records()[1].hidden_s, 33);
  EXPECT_DOUBLE_EQ(log.records()[0].hidden_s, 0);
}

TEST(Steps, AnInnerScopeInterruptsTheOuterOne) {
  Steps steps;
  const double begin = now_s();
  {
    Steps::Scope outer(steps, Step::exchange);
    Steps::Scope inner(steps, Step::pack);
    for (const double until = now_s() + 0.02; now_s() < until;) {}
  }
  const double total = now_s() - begin;
  EXPECT_GE(steps.seconds(Step::pack), 0.02);
  EXPECT_LT(steps.seconds(Step::exchange), 0.01);
  double sum = 0;
  for (std::size_t s = 0; s < step_count; ++s) sum += steps.seconds(static_cast<Step>(s));
  EXPECT_LE(sum, total);
}

}  // namespace
}  // namespace collio::observe
