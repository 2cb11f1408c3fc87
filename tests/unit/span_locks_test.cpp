// Locks on the spans of calls in atomic mode: what one handle holds, another waits for; threads wait, too.
#include "engine/file/span_locks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "temporary_file.hpp"

namespace collio::engine {
namespace {

using policy::Direction;

constexpr std::chrono::milliseconds soon{30};

/// A lock that a call has, or waits for.
struct Wish {
  SpanLocks& by;
  core::Extent span;
  Direction direction;
};

/// Whether the second is had while the first is held; it is had once that is gone.
bool both_at_once(const Wish& first, const Wish& second) {
  std::atomic<bool> had{false};
  std::optional<SpanLocks::Held> one(std::in_place, first.by, first.span, first.direction);
  EXPECT_TRUE(one->error().ok());
  std::thread thread([&] {
    const SpanLocks::Held two(second.by, second.span, second.direction);
    EXPECT_TRUE(two.error().ok());
    had = true;
  });
  const auto until = std::chrono::steady_clock::now() + soon;
  while (!had && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  const bool at_once = had;
  one.reset();
  thread.join();
  EXPECT_TRUE(had);
  return at_once;
}

TEST(SpanLocks, AWriteExcludesOtherHandlesFromItsSpan) {
  const test::TemporaryFile file;
  SpanLocks one(file.path(), true, true), other(file.path(), true, true);
  ASSERT_TRUE(one.error().ok());
  EXPECT_FALSE(both_at_once({one, {100, 50}, Direction::write}, {other, {149, 10}, Direction::write}));
  EXPECT_FALSE(both_at_once({one, {100, 50}, Direction::write}, {other, {90, 11}, Direction::read}));
  EXPECT_FALSE(both_at_once({one, {100, 50}, Direction::read}, {other, {100, 1}, Direction::write}));
  EXPECT_TRUE(both_at_once({one, {100, 50}, Direction::write}, {other, {150, 10}, Direction::write}));
  EXPECT_TRUE(both_at_once({one, {100, 50}, Direction::write}, {other, {0, 100}, Direction::write}));
}

TEST(SpanLocks, ReadsShareASpan) {
  const test::TemporaryFile file;
  SpanLocks one(file.path(), true, false), other(file.path(), true, true);
  EXPECT_TRUE(both_at_once({one, {0, 50}, Direction::read}, {other, {10, 10}, Direction::read}));
}

TEST(SpanLocks, ThreadsOfOneHandleGoOneAfterTheOther) {
  const test::TemporaryFile file;
  SpanLocks locks(file.path(), true, true);
  EXPECT_FALSE(both_at_once({locks, {0, 50}, Direction::write}, {locks, {10, 10}, Direction::write}))
      << "the handle's own lock excludes nobody who shares it";
}

TEST(SpanLocks, AHandleThatCannotLockSaysSo) {
  const SpanLocks none("/no/such/file", true, true);
  EXPECT_EQ(none.error().kind, core::ErrorClass::no_such_file);
  EXPECT_NE(none.error().message.find("atomic mode"), std::string::npos) << none.error().message;
}

}  // namespace
}  // namespace collio::engine
