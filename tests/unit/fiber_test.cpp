// Functions that stop in the middle and go on later.
#include "transport/waiting/fiber.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace collio::transport {
namespace {

TEST(Fiber, StopsWhereItGivesWayAndGoesOnThere) {
  std::vector<int> steps;
  Fiber fiber([&] {
    steps.push_back(1);
    EXPECT_TRUE(Fiber::running());
    EXPECT_TRUE(Fiber::give_way());
    steps.push_back(3);
    EXPECT_TRUE(Fiber::give_way());
    steps.push_back(5);
  });
  EXPECT_TRUE(steps.empty());
  for (const int outside : {2, 4}) {
    fiber.resume();
    EXPECT_FALSE(fiber.ended());
    steps.push_back(outside);
  }
  fiber.resume();
  EXPECT_TRUE(fiber.ended());
  EXPECT_EQ(steps, (std::vector{1, 2, 3, 4, 5}));
}

TEST(Fiber, DoesNotGiveWayWhereNobodyWouldResumeIt) {
  EXPECT_FALSE(Fiber::running());
  EXPECT_FALSE(Fiber::give_way());
  Fiber fiber([] {
    EXPECT_FALSE(Fiber::may_give_way());
    EXPECT_FALSE(Fiber::give_way());
  });
  fiber.resume(false);
  EXPECT_TRUE(fiber.ended());
}

TEST(Fiber, SeveralTakeTurns) {
  std::vector<int> steps;
  const auto body = [&](int name) {
    return [&steps, name] {
      for (int i = 0; i < 3; ++i) {
        steps.push_back(10 * i + name);
        Fiber::give_way();
      }
    };
  };
  Fiber one(body(1)), two(body(2));
  while (!one.ended() || !two.ended())
    for (Fiber* fiber : {&one, &two})
      if (!fiber->ended()) fiber->resume();
  EXPECT_EQ(steps, (std::vector{1, 2, 11, 12, 21, 22}));
}

}  // namespace
}  // namespace collio::transport
