// Calls that the program does not wait for: one after the other, by a thread or on fibers of its own thread.
#include "engine/background/work_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace collio::engine {
namespace {

using transport::Fiber;

/// Calls of `at_start` so far.
std::atomic<int> starts{0};
void note_start() { ++starts; }

/// Gives way so many times, and notes when it begins and ends.
WorkQueue::Work work(std::vector<int>& notes, int number, int times) {
  return [&notes, number, times] {
    notes.push_back(number);
    for (int i = 0; i < times; ++i) Fiber::give_way();
    notes.push_back(-number);
  };
}

TEST(WorkQueue, WithoutAThreadNothingIsDoneUntilAStep) {
  std::vector<int> notes;
  WorkQueue queue(false, note_start);
  EXPECT_FALSE(queue.by_thread());
  EXPECT_TRUE(queue.idle());
  queue.post(work(notes, 1, 2));
  queue.post(work(notes, 2, 0));
  EXPECT_TRUE(notes.empty());
  EXPECT_FALSE(queue.idle());
  EXPECT_FALSE(queue.step());
  EXPECT_FALSE(queue.step());
  EXPECT_EQ(notes, (std::vector<int>{1}));
  EXPECT_TRUE(queue.step()) << "the first call ends";
  EXPECT_TRUE(queue.step());
  EXPECT_EQ(notes, (std::vector<int>{1, -1, 2, -2}));
  EXPECT_TRUE(queue.idle());
}

TEST(WorkQueue, CallsOfOneFileNeverOverlapAndThoseOfTwoFilesDo) {
  std::vector<int> notes;
  WorkQueue one(false, note_start), other(false, note_start);
  one.post(work(notes, 1, 1));
  one.post(work(notes, 2, 0));
  other.post(work(notes, 3, 1));
  EXPECT_TRUE(steps_needed());
  while (steps_needed()) step_all_queues();
  EXPECT_EQ(notes, (std::vector<int>{1, 3, -1, -3, 2, -2}));
  EXPECT_TRUE(one.idle() && other.idle());
}

TEST(WorkQueue, StepsSayWhenACallEnds) {
  std::vector<int> notes;
  WorkQueue queue(false, note_start);
  queue.post(work(notes, 1, 1));
  EXPECT_FALSE(step_all_queues());
  EXPECT_TRUE(step_all_queues());
  EXPECT_FALSE(step_all_queues()) << "nothing is left";
}

TEST(WorkQueue, ACallMakesNoStepsOfOthers) {
  std::vector<int> notes;
  WorkQueue queue(false, note_start), other(false, note_start);
  bool stepped = true;
  queue.post([&] { stepped = step_all_queues(); });
  other.post(work(notes, 1, 0));
  EXPECT_TRUE(queue.step());
  EXPECT_FALSE(stepped);
  EXPECT_TRUE(notes.empty());
}

TEST(WorkQueue, WaitingForOneFileMovesTheOthersOn) {
  std::vector<int> notes;
  WorkQueue queue(false, note_start), other(false, note_start);
  bool ready = false;
  queue.post([&] {
    while (!ready) Fiber::give_way();
  });
  other.post([&] { ready = true; });
  queue.drain();  // hangs if the other's call takes no step
  EXPECT_TRUE(ready && queue.idle());
}

TEST(WorkQueue, ACallAloneDoesNotGiveWay) {
  WorkQueue queue(false, note_start);
  bool may = true;
  queue.post([&] { may = Fiber::may_give_way(); });
  queue.drain();
  EXPECT_FALSE(may) << "its waits may sleep";
  queue.post([&] { may = Fiber::may_give_way(); });
  queue.step();
  EXPECT_TRUE(may) << "the program goes on meanwhile";
}

TEST(WorkQueue, WhatIsLeftIsDoneBeforeTheQueueGoes) {
  for (const bool by_thread : {false, true}) {
    std::vector<int> notes;
    {
      WorkQueue queue(by_thread, note_start);
      queue.post(work(notes, 1, 0));
      queue.post(work(notes, 2, 0));
    }
    EXPECT_EQ(notes, (std::vector<int>{1, -1, 2, -2})) << by_thread;
    EXPECT_FALSE(steps_needed());
  }
}

TEST(WorkQueue, AThreadDoesCallsInTheirOrderWithoutTheProgram) {
  starts = 0;
  std::vector<int> notes;
  std::atomic<bool> last{false};
  std::thread::id by;
  WorkQueue queue(true, note_start);
  ASSERT_TRUE(queue.by_thread());
  for (int number = 1; number <= 50; ++number) queue.post(work(notes, number, 0));
  queue.post([&] {
    by = std::this_thread::get_id();
    last = true;
    last.notify_all();
  });
  last.wait(false);
  queue.drain();
  EXPECT_TRUE(queue.idle());
  EXPECT_NE(by, std::this_thread::get_id());
  EXPECT_EQ(starts, 1);
  std::vector<int> expected;
  for (int number = 1; number <= 50; ++number) expected.insert(expected.end(), {number, -number});
  EXPECT_EQ(notes, expected);
}

}  // namespace
}  // namespace collio::engine
