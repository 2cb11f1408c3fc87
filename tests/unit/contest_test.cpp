// A faster way takes over soon, chance does not, and trials stay cheap.
#include "policy/trials/contest.hpp"

#include <gtest/gtest.h>

#include "byte_list.hpp"

namespace collio::policy {
namespace {

using test::Dice;

TEST(SignTest, SeldomLetsChanceWin) {
  int wrong = 0;
  constexpr int trials = 4000;
  constexpr double most_wrong = 0.05;
  for (int k = 0; k < trials; ++k) {
    Dice dice(static_cast<std::uint32_t>(k + 1));
    SignTest test;
    bool won = false;
    for (int i = 0; i < 300 && !won; ++i) {
      test.add(dice.chance(2));
      won = test.wins(most_wrong);
    }
    wrong += won;
  }
  EXPECT_LE(wrong, most_wrong * trials);
}

TEST(SignTest, SeesASureWinnerSoon) {
  SignTest test;
  int comparisons = 0;
  while (!test.wins(0.01)) {
    test.add(true);
    ASSERT_LT(++comparisons, 15);
  }
  EXPECT_GT(comparisons, 3);
}

TEST(Contest, AFasterCandidateTakesOver) {
  Contest contest(2, 10);
  int comparisons = 0;
  while (contest.in_force() == 0 && comparisons < 30) {
    contest.judge(0.5);
    ++comparisons;
  }
  EXPECT_EQ(contest.in_force(), 1U);
  EXPECT_TRUE(contest.given_up(0));
  EXPECT_FALSE(contest.given_up(1));
}

TEST(Contest, ASlightlyFasterCandidateIsLeftForTheNext) {
  Contest contest(3, 10);
  for (int i = 0; i < Contest::most_behind + 1; ++i) contest.judge(0.97);
  EXPECT_EQ(contest.in_force(), 0U);
  EXPECT_EQ(contest.candidate(), 2U);
  EXPECT_TRUE(contest.given_up(1));
}

TEST(Contest, AHopelessCandidateCostsFewerComparisons) {
  const auto comparisons_until_left = [](double times_as_long) {
    Contest contest(3, 10);
    int comparisons = 0;
    while (contest.candidate() == 1 && comparisons < 100) {
      contest.judge(times_as_long);
      ++comparisons;
    }
    return comparisons;
  };
  EXPECT_LT(comparisons_until_left(2.0), comparisons_until_left(1.1));
}

TEST(Contest, TrialsMayLoseASmallPartOfTheTime) {
  Contest contest(2, 10);
  EXPECT_FALSE(contest.may_lose(0.1));
  contest.spend(10);
  EXPECT_TRUE(contest.may_lose(0.1));
  contest.settled(1, 1);  // a second for each amount of one
  contest.lose({1, 1, 1.15});
  EXPECT_FALSE(contest.may_lose(0.1));
  contest.spend(10);
  EXPECT_TRUE(contest.may_lose(0.1));
}

TEST(Contest, TriesAgainWhenThePaceHasShifted) {
  Contest contest(2, 2);
  contest.drop();
  ASSERT_FALSE(contest.has_candidate());
  const auto look = [&](double seconds) {
    contest.settled(1, seconds);
    contest.settled(1, seconds);
  };
  look(1.0);
  look(1.1);
  EXPECT_FALSE(contest.has_candidate());
  look(1.4);
  EXPECT_TRUE(contest.has_candidate());
  EXPECT_EQ(contest.candidate(), 1U);
}

}  // namespace
}  // namespace collio::policy
