// That trials find the fastest schedule, cost little, and look again when the pattern changes its pace.
#include "policy/trials/schedule_trials.hpp"

#include <gtest/gtest.h>

#include <map>

namespace collio::policy {
namespace {

using Pace = std::map<Schedule, double>;  // seconds a round

constexpr std::int64_t round_bytes = 1 << 20;

/// An aggregator whose rounds take what `pace` says.
struct Aggregator {
  ScheduleTrials trials;
  double now_s = 100, best_s = 0;

  void call(int rounds, const Pace& pace) {
    double best = 1e9;
    for (const auto& [schedule, seconds] : pace) best = std::min(best, seconds);
    trials.begin(now_s);
    for (int i = 0; i < rounds; ++i) {
      trials.idle(now_s);
      trials.opened();
      now_s += pace.at(trials.now().schedule);
      best_s += best;
      trials.over(round_bytes, now_s);
    }
    trials.end(now_s);
    now_s += 50;  // the program computes
  }
};

Pace all_at(double seconds) {
  return {{Schedule::none, seconds},
          {Schedule::communication, seconds},
          {Schedule::write, seconds},
          {Schedule::write_communication, seconds},
          {Schedule::write_communication_2, seconds},
          {Schedule::dataflow, seconds}};
}

ScheduleTrials over_two_buffers(Schedule first) { return ScheduleTrials(overlap_of(first, 2)); }

TEST(ScheduleTrials, AShortCallTriesNothing) {
  Aggregator a{over_two_buffers(Schedule::dataflow)};
  Pace pace = all_at(0.01);
  pace[Schedule::write] = 0.001;
  a.call(200, pace);
  EXPECT_EQ(a.trials.rounds_tried(), 0);
  EXPECT_EQ(a.trials.text(), "");
  EXPECT_EQ(a.trials.now().schedule, Schedule::dataflow);
}

TEST(ScheduleTrials, FindsTheFastestWhicheverItIs) {
  for (const auto& [best, ignored] : all_at(0)) {
    Aggregator a{over_two_buffers(Schedule::dataflow)};
    Pace pace = all_at(0.010);
    pace[best] = 0.006;
    a.call(5000, pace);
    EXPECT_EQ(a.trials.now().schedule, best);
    EXPECT_NE(a.trials.text().find(name_of(best)), std::string::npos) << a.trials.text();
    EXPECT_EQ(a.trials.now().buffers, 2);
  }
}

TEST(ScheduleTrials, ManyShortCallsOfAPatternAreOneLongOne) {
  Aggregator a{over_two_buffers(Schedule::dataflow)};
  Pace pace = all_at(0.010);
  pace[Schedule::communication] = 0.005;
  for (int i = 0; i < 700; ++i) a.call(7, pace);
  EXPECT_EQ(a.trials.now().schedule, Schedule::communication);
}

TEST(ScheduleTrials, TrialsLoseLittleThoughAllButOneAreSlow) {
  for (const double slow_s : {0.011, 0.02, 0.1}) {
    Aggregator a{over_two_buffers(Schedule::dataflow)};
    Pace pace = all_at(slow_s);
    pace[Schedule::dataflow] = 0.010;
    const double begin = a.now_s;
    a.call(20000, pace);
    const double spent = a.now_s - 50 - begin;
    EXPECT_EQ(a.trials.now().schedule, Schedule::dataflow);
    EXPECT_GT(a.trials.rounds_tried(), 0);
    EXPECT_LE(spent - a.best_s, 1.5 * Contest::most_lost * spent) << slow_s;
  }
}

TEST(ScheduleTrials, LooksAgainWhenThePaceHasChanged) {
  Aggregator a{over_two_buffers(Schedule::dataflow)};
  Pace pace = all_at(0.012);
  pace[Schedule::dataflow] = 0.010;
  a.call(5000, pace);
  const std::int64_t tried = a.trials.rounds_tried();
  a.call(5000, pace);
  EXPECT_EQ(a.trials.rounds_tried(), tried) << "all was tried, and nothing has changed";
  pace[Schedule::dataflow] = 0.030;
  a.call(10000, pace);
  EXPECT_GT(a.trials.rounds_tried(), tried);
  EXPECT_NE(a.trials.now().schedule, Schedule::dataflow);
}

TEST(ScheduleTrials, StorageThatHoldsTheRankIsNotAskedToGoOn) {
  Aggregator a{over_two_buffers(Schedule::communication)};
  Pace pace{{Schedule::communication, 0.010}, {Schedule::none, 0.004}};  // any other throws
  a.call(5000, pace);
  EXPECT_EQ(a.trials.now().schedule, Schedule::none);
}

}  // namespace
}  // namespace collio::policy
