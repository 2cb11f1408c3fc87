// Storage under a fiber: a transfer gives the program its thread back, and ends with the same result.
#include "engine/background/yielding_storage.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "late_file.hpp"
#include "transport/waiting/fiber.hpp"

namespace collio::engine {
namespace {

using transport::Fiber;

/// Blocks in write() and read() until the test opens it.
class Gate final : public storage::Storage {
 public:
  storage::Transfer write(const core::Extent& e, const std::byte*) override { return pass(e.length); }
  storage::Transfer read(const core::Extent& e, std::byte*) override { return pass(e.length / 2); }
  core::Error sync() override {
    by = std::this_thread::get_id();
    return {};
  }
  std::atomic<bool> open{false}, entered{false};
  std::thread::id by;

 private:
  storage::Transfer pass(std::int64_t bytes) {
    by = std::this_thread::get_id();
    entered = true;
    open.wait(false);
    return {bytes, {core::ErrorClass::io, "late"}};
  }
};

struct Gated {
  Gate* gate = nullptr;
  std::unique_ptr<storage::Storage> file;
  Gated() {
    auto inner = std::make_unique<Gate>();
    gate = inner.get();
    file = yielding(std::move(inner));
  }
  void open() const {
    gate->open = true;
    gate->open.notify_all();
  }
};

TEST(YieldingStorage, AFiberGivesTheThreadBackWhileTheTransferIsUnderWay) {
  const Gated gated;
  storage::Transfer written, read;
  std::byte room[100];
  Fiber fiber([&] {
    written = gated.file->write({0, 100}, room);
    read = gated.file->read({0, 100}, room);
  });
  for (int i = 0; i < 10; ++i) {
    fiber.resume();
    EXPECT_FALSE(fiber.ended()) << "the write cannot be over";
  }
  while (!gated.gate->entered) std::this_thread::yield();
  EXPECT_NE(gated.gate->by, std::this_thread::get_id());
  gated.open();
  while (!fiber.ended()) fiber.resume();
  EXPECT_EQ(written.bytes, 100);
  EXPECT_EQ(written.error.message, "late");
  EXPECT_EQ(read.bytes, 50);
}

TEST(YieldingStorage, WithoutAFiberTheCallerMakesTheTransfer) {
  const Gated gated;
  gated.open();
  std::byte room[100];
  EXPECT_EQ(gated.file->write({0, 100}, room).bytes, 100);
  EXPECT_EQ(gated.gate->by, std::this_thread::get_id());
}

TEST(YieldingStorage, AFiberThatIsWaitedForAloneMakesItsTransfers) {
  const Gated gated;
  gated.open();
  std::byte room[100];
  Fiber fiber([&] { gated.file->write({0, 100}, room); });
  fiber.resume(false);
  EXPECT_TRUE(fiber.ended());
  EXPECT_EQ(gated.gate->by, std::this_thread::get_id());
}

TEST(YieldingStorage, AsynchronousTransfersStayWithTheStorageBelow) {
  auto inner = std::make_unique<test::LateFile>(5);
  test::LateFile& late = *inner;
  const auto file = yielding(std::move(inner));
  ASSERT_TRUE(file->overlaps());
  const std::vector<std::byte> data(1000, std::byte{7});
  std::vector<storage::Ticket> tickets;
  Fiber fiber([&] {
    for (std::int64_t i = 0; i < 10; ++i)
      tickets.push_back(file->start_write({100 * i, 100}, data.data() + 100 * i));
    for (const storage::Ticket ticket : tickets) EXPECT_EQ(file->finish(ticket).bytes, 100);
  });
  while (!fiber.ended()) fiber.resume();
  EXPECT_EQ(late.started, 10);
  EXPECT_GT(late.most_under_way, 1U);
  EXPECT_EQ(late.bytes, data);
}

}  // namespace
}  // namespace collio::engine
