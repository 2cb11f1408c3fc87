// That trials of whole calls find the fastest way, cost little, and leave what hints decide alone.
#include "policy/trials/call_trials.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace collio::policy {
namespace {

const std::vector<OpenWay> three{{{Path::two_layer, Transfer::two_sided}, 0},
                                 {{Path::two_phase, Transfer::two_sided}, 0.1},
                                 {{Path::independent, Transfer::two_sided}, 1}};

/// A program whose calls take `seconds` by each of the three ways.
struct Program {
  CallTrials trials{three};
  double spent_s = 0, best_s = 0;

  void calls(int count, const std::vector<double>& seconds) {
    for (int i = 0; i < count; ++i) {
      const double took_s = seconds[trials.next()];
      trials.over(took_s);
      spent_s += took_s;
      best_s += std::ranges::min(seconds);
    }
  }
};

TEST(CallTrials, AFewCallsTryNothing) {
  Program p;
  p.calls(100, {1, 0.1, 0.1});
  EXPECT_EQ(p.trials.calls_tried(), 0);
  EXPECT_EQ(p.trials.text(), "");
}

TEST(CallTrials, FindTheFastestWhicheverItIs) {
  for (std::size_t best = 0; best < three.size(); ++best) {
    Program p;
    std::vector<double> seconds{1, 1, 1};
    seconds[best] = 0.7;
    p.calls(2000, seconds);
    EXPECT_EQ(p.trials.in_force(), best);
    EXPECT_NE(p.trials.text().find(text_of(three[best].way)), std::string::npos) << p.trials.text();
  }
}

TEST(CallTrials, DoNotTryWhatEstimatesCallHopeless) {
  Program p;
  p.calls(5000, {0.2, 0.1, 0.01});  // the third is estimated to take a second more
  EXPECT_EQ(p.trials.in_force(), 1U);
  EXPECT_TRUE(p.trials.given_up(2));
}

TEST(CallTrials, LoseLittleThoughOthersAreSlow) {
  for (const double slow_s : {1.1, 2.0, 4.0}) {
    Program p;
    p.calls(5000, {1, slow_s, slow_s});
    EXPECT_EQ(p.trials.in_force(), 0U);
    EXPECT_GE(p.trials.calls_tried(), 4);
    EXPECT_LE(p.spent_s - p.best_s, Contest::most_lost * p.spent_s) << slow_s;
  }
}

TEST(CallTrials, LookAgainWhenThePaceHasChanged) {
  Program p;
  p.calls(2000, {1, 1.2, 1.2});
  const std::int64_t tried = p.trials.calls_tried();
  p.calls(2000, {1, 1.2, 1.2});
  EXPECT_EQ(p.trials.calls_tried(), tried) << "all was tried, and nothing has changed";
  p.calls(4000, {3, 1.2, 1.2});
  EXPECT_EQ(p.trials.in_force(), 1U);
}

TEST(CallTrials, WhatCannotBeHadIsLeft) {
  Program p;
  while (p.trials.next() == 0) p.calls(1, {1, 1, 1});
  EXPECT_EQ(p.trials.next(), 1U);
  p.trials.refused();
  EXPECT_TRUE(p.trials.given_up(1));
  EXPECT_EQ(p.trials.next(), 0U);
  p.calls(2000, {1, 0, 0.5});  // way 1 would win
  EXPECT_EQ(p.trials.in_force(), 2U);
}

// Calls whose times vary by 30 %, as on file systems that others use too.

/// Of 1000 programs with two ways, how many took the second over within so many calls; it takes
/// `times_as_long` as the first.
int takeovers(int calls, double times_as_long) {
  int taken = 0;
  for (unsigned program = 0; program < 1000; ++program) {
    std::mt19937 random(program);
    std::normal_distribution<double> noise(1, 0.3);
    CallTrials trials(
        {{{Path::two_layer, Transfer::two_sided}, 0}, {{Path::two_phase, Transfer::two_sided}, 0}});
    bool took = false;
    for (int i = 0; i < calls; ++i) {
      trials.over((trials.next() == 1 ? times_as_long : 1) * std::max(0.1, noise(random)));
      took = took || trials.in_force() == 1;
    }
    taken += took ? 1 : 0;
  }
  return taken;
}

TEST(NoisyTrials, ChanceTakesOverInLessThanOneOfAHundredPrograms) {
  EXPECT_LE(takeovers(5000, 1.0), 10);
  EXPECT_LE(takeovers(5000, 1.1), 10);
}

TEST(NoisyTrials, AWayThatIsAFifthFasterTakesOver) {
  EXPECT_GE(takeovers(2500, 0.8), 900);
  EXPECT_GE(takeovers(1000, 0.7), 900);
}

TEST(CallTrials, WhatWasTakenOverFromIsReviewedAndCanWinBack) {
  Program p;
  p.calls(2000, {1, 0.8, 5});
  EXPECT_EQ(p.trials.in_force(), 1U);
  const std::int64_t tried = p.trials.calls_tried();
  p.calls(2000, {1, 0.8, 5});
  EXPECT_GT(p.trials.calls_tried(), tried) << "a review";
  EXPECT_EQ(p.trials.in_force(), 1U);
  // The way in force keeps its pace; the old one has become faster, which nothing else would tell.
  p.calls(8000, {0.6, 0.8, 5});
  EXPECT_EQ(p.trials.in_force(), 0U);
  EXPECT_LE(p.trials.calls_tried(), 200);
}

TEST(SignTest, ChanceSeldomWinsHoweverOftenOneLooks) {
  int won = 0;
  std::mt19937 random(1);
  for (int run = 0; run < 2000; ++run) {
    SignTest test;
    for (int i = 0; i < 500; ++i) {
      test.add(random() % 2 == 0);
      if (!test.wins(0.05)) continue;
      ++won;
      break;
    }
  }
  EXPECT_LE(won, 100);
  EXPECT_GE(won, 10) << "the bound is not far from what happens";
}

TEST(CallTrials, OneWayIsNeverTried) {
  CallTrials alone({three[0]});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(alone.next(), 0U);
    alone.over(1);
  }
  EXPECT_EQ(alone.text(), "");
}

// What is open to trial.

const machine::Machine eight{{{"here", 8, 8}}, {}}, alone{{{"here", 1, 1}}, {}};

Plan plan_by(Path path) {
  Plan plan;
  plan.path = path;
  plan.estimate_two_layer_s = 0.1;
  plan.estimate_two_phase_s = 0.2;
  plan.estimate_independent_s = 2;
  return plan;
}

Digest of_long_pieces() {
  Digest d;
  d.bytes = 1 << 30;
  d.pieces = 1000;
  return d;
}

bool has(const std::vector<OpenWay>& choices, Path path, Transfer transfer = Transfer::two_sided) {
  return std::ranges::find(choices, Way{path, transfer}, &OpenWay::way) != choices.end();
}

TEST(Choices, PathsAreOpen) {
  const std::vector<OpenWay> choices =
      choices_of(plan_by(Path::two_layer), of_long_pieces(), eight, parse_hints({}));
  EXPECT_EQ(choices.front().way, (Way{Path::two_layer, Transfer::two_sided}));
  EXPECT_TRUE(has(choices, Path::two_phase));
  EXPECT_TRUE(has(choices, Path::independent));
  EXPECT_EQ(choices.size(), 3U);
  EXPECT_DOUBLE_EQ(choices[1].more_s, 0.1);
}

TEST(Choices, RanksThatHaveNotOpenedTheFileDoNotServeIt) {
  machine::Machine machine = eight;
  machine.storage.aggregators_per_core = 0;
  EXPECT_FALSE(has(choices_of(plan_by(Path::two_layer), of_long_pieces(), machine, parse_hints({})),
                   Path::independent));
}

TEST(Choices, HintsDecide) {
  const Plan plan = plan_by(Path::two_layer);
  for (const auto& hint :
       {std::pair{"collio_path", "two_layer"}, std::pair{"cb_nodes", "2"},
        std::pair{"collio_local_aggregators", "2"}, std::pair{"collio_memory_limit", "100000000"},
        std::pair{"romio_cb_write", "enable"}}) {
    const std::vector<OpenWay> choices =
        choices_of(plan, of_long_pieces(), eight, parse_hints({{hint.first, hint.second}}));
    EXPECT_EQ(choices.size(), 1U) << hint.first;
  }
  EXPECT_EQ(choices_of(plan, of_long_pieces(), alone, parse_hints({})).size(), 1U) << "one rank";
}

TEST(Choices, TransfersAreTriedWhereTheyAreLeftOpenAndPiecesAreLong) {
  const Hints open = parse_hints({{"collio_path", "two_phase"}, {"collio_transfer", "auto"}});
  const Plan plan = plan_by(Path::two_phase);
  const std::vector<OpenWay> choices = choices_of(plan, of_long_pieces(), eight, open);
  EXPECT_TRUE(has(choices, Path::two_phase, Transfer::lock));
  EXPECT_TRUE(has(choices, Path::two_phase, Transfer::fence));
  Digest short_pieces = of_long_pieces();
  short_pieces.pieces = short_pieces.bytes / 100;
  EXPECT_EQ(choices_of(plan, short_pieces, eight, open).size(), 1U);
  EXPECT_EQ(choices_of(plan, of_long_pieces(), eight, parse_hints({{"collio_path", "two_phase"}})).size(), 1U)
      << "messages are the default";
}

}  // namespace
}  // namespace collio::policy
