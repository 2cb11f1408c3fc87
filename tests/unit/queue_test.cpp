// Events happen in the order of their times.
#include "simulate/queue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace collio::simulate {
namespace {

TEST(Queue, EventsHappenInOrderOfTimeAndThenAsTheyWereMade) {
  Queue<char> queue;
  queue.push(2, 'd');
  queue.push(1, 'b');
  queue.push(2, 'e');
  queue.push(0.5, 'a');
  queue.push(1, 'c');
  std::string order;
  while (!queue.empty()) {
    order += queue.pop();
    if (order == "abc") {
      EXPECT_EQ(queue.now_s(), 1);
    }
  }
  EXPECT_EQ(order, "abcde");
  EXPECT_EQ(queue.now_s(), 2);
}

}  // namespace
}  // namespace collio::simulate
