// That forecasts follow what calls took, whatever the estimate leaves out, and no single call changes them.
#include "policy/plan/forecasts.hpp"

#include <gtest/gtest.h>

#include <random>

namespace collio::policy {
namespace {

constexpr TimedCall write_call{Direction::write, Path::two_phase, 1'000'000, 0.018};

TEST(Forecasts, AreTheEstimateUntilThreeCallsWereTimed) {
  Forecasts forecasts;
  for (int call = 0; call < 4; ++call) {
    EXPECT_EQ(forecasts.seconds(write_call), 0.018) << call;
    forecasts.took(write_call, 0.147);
  }
  EXPECT_NEAR(forecasts.seconds(write_call), 0.147, 1e-9);
}

TEST(Forecasts, TheFirstCallDoesNotCount) {
  Forecasts forecasts;
  forecasts.took(write_call, 9);
  for (int call = 0; call < 3; ++call) forecasts.took(write_call, 0.1);
  EXPECT_NEAR(forecasts.seconds(write_call), 0.1, 1e-9);
}

TEST(Forecasts, OneSlowCallChangesNothing) {
  for (int slow = 1; slow < 12; ++slow) {
    Forecasts forecasts;
    for (int call = 0; call < 12; ++call) {
      forecasts.took(write_call, call == slow ? 50 : 0.1);
      const double expected = call < 3 ? 0.018 : 0.1;
      EXPECT_NEAR(forecasts.seconds(write_call), expected, 1e-9) << slow << " " << call;
    }
  }
}

TEST(Forecasts, FollowANewPaceWithinFiveCalls) {
  Forecasts forecasts;
  for (int call = 0; call < 40; ++call) forecasts.took(write_call, 0.1);
  for (int call = 0; call < 3; ++call) forecasts.took(write_call, 0.5);
  EXPECT_NEAR(forecasts.seconds(write_call), 0.5, 1e-9);
}

TEST(Forecasts, KeepKindsOfCallsApart) {
  Forecasts forecasts;
  for (int call = 0; call < 9; ++call) forecasts.took(write_call, 0.18);
  TimedCall other = write_call;
  other.direction = Direction::read;
  EXPECT_EQ(forecasts.seconds(other), other.estimate_s);
  other = write_call, other.path = Path::independent;
  EXPECT_EQ(forecasts.seconds(other), other.estimate_s);
  other = write_call, other.bytes = 100;  // the header of a file, say
  EXPECT_EQ(forecasts.seconds(other), other.estimate_s);
  other = write_call, other.estimate_s = 0.036;  // as many bytes in more pieces
  EXPECT_NEAR(forecasts.seconds(other), 0.36, 1e-9);
}

TEST(Forecasts, AreBoundedAndNeedAnEstimate) {
  Forecasts forecasts;
  for (int call = 0; call < 9; ++call) forecasts.took(write_call, 1e9);
  EXPECT_NEAR(forecasts.seconds(write_call), 18, 1e-9);
  TimedCall none = write_call;
  none.path = Path::two_layer, none.estimate_s = 0;
  for (int call = 0; call < 9; ++call) forecasts.took(none, 1);
  EXPECT_EQ(forecasts.seconds(none), 0);
}

/// Over programs whose storage takes from nothing to ten times the estimate, with 30 % noise.
TEST(Forecasts, ComeNearerThanEstimates) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(1, 0.3);
  std::uniform_real_distribution<double> storage(0, 10);
  for (int program = 0; program < 100; ++program) {
    Forecasts forecasts;
    const double usual_s = write_call.estimate_s * (1 + storage(random));
    double off_s = 0, estimate_off_s = 0;
    for (int call = 0; call < 100; ++call) {
      const double took_s = usual_s * std::max(0.1, noise(random));
      off_s += std::abs(forecasts.seconds(write_call) - took_s);
      estimate_off_s += std::abs(write_call.estimate_s - took_s);
      forecasts.took(write_call, took_s);
    }
    EXPECT_LT(off_s, std::max(estimate_off_s, 100 * 0.4 * usual_s)) << usual_s;
  }
}

}  // namespace
}  // namespace collio::policy
