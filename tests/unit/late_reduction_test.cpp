// Naps of ranks that wait for a late one along a tree.
#include "simulate/late_reduction.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace collio::simulate {
namespace {

constexpr flow::WaitSoFar alone{.ranks_per_core = 1, .reduces = true};
constexpr double step_s = 4e-6;

TEST(LateReduction, CostsItsStepsWhereNobodyNapsYet) {
  for (const int nodes : {2, 8, 1000, 1024}) {
    const LateReduction reduction{nodes, step_s, 150e-6, alone};
    EXPECT_NEAR(steps_s(reduction), step_s * std::ceil(std::log2(nodes)), 1e-12);
    EXPECT_NEAR(latency_s(reduction), steps_s(reduction), 1e-9) << nodes;
  }
  EXPECT_EQ(latency_s({1, step_s, 1, alone}), 0);
}

TEST(LateReduction, AReductionIsPolledForBeforeItNaps) {
  for (const double late_s : {1e-3, 5e-3, 20e-3})
    EXPECT_NEAR(latency_s({1024, step_s, late_s, alone}), steps_s({1024, step_s}), 1e-9);
  EXPECT_GT(latency_s({1024, step_s, 1, alone}), steps_s({1024, step_s}) + 20e-6);
  EXPECT_LT(latency_s({1024, step_s, 1, alone}), 10 * (step_s + 0.0005) + 1e-9);
}

TEST(LateReduction, NapsOfOtherWaitsWouldTakeMilliseconds) {
  const flow::WaitSoFar messages{.ranks_per_core = 1};
  EXPECT_GT(latency_s({1024, step_s, 20e-3, messages}), 2e-3);
  EXPECT_GT(latency_s({1024, step_s, 20e-3, messages}), 10 * latency_s({1024, step_s, 20e-3, alone}));
}

}  // namespace
}  // namespace collio::simulate
