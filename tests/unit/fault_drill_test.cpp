// Faults under every kind of storage: what they do to a transfer, and that the bytes it counts are the bytes
// in the file.
#include "storage/faults.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "storage/kinds.hpp"
#include "temporary_file.hpp"

namespace collio::storage {
namespace {

using core::ErrorClass;
using policy::StorageKind;
using test::TemporaryFile;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class FaultDrills : public testing::TestWithParam<StorageKind> {
 protected:
  static core::Result<Opened> open(const std::string& path, const std::string& faults, bool direct = false) {
    return open_storage(
        {path, Access::read_write, model_of(path), GetParam(), direct, 2, FaultDrill::make(faults, 3)});
  }
  /// Writes `text` at `offset` and reads it back, each as one transfer.
  static Transfer write(Storage& file, std::int64_t offset, const std::string& text) {
    return file.finish(file.start_write({offset, static_cast<std::int64_t>(text.size())},
                                        reinterpret_cast<const std::byte*>(text.data())));
  }
  static std::pair<Transfer, std::string> read(Storage& file, const core::Extent& extent) {
    std::string text(static_cast<std::size_t>(extent.length), '#');
    Transfer t = file.finish(file.start_read(extent, reinterpret_cast<std::byte*>(text.data())));
    return {t, text};
  }
};

TEST_P(FaultDrills, TheNthWriteFailsAndOthersDoNot) {
  const TemporaryFile path;
  auto opened = open(path.path(), "3:write2-3:ENOSPC");
  ASSERT_TRUE(opened.ok());
  Storage& file = *opened.value().file;
  for (int i = 0; i < 5; ++i) {
    const Transfer t = write(file, 4 * i, "data");
    const bool fails = i == 1 || i == 2;
    EXPECT_EQ(t.error.kind, fails ? ErrorClass::no_space : ErrorClass::none) << t.error.message;
    EXPECT_EQ(t.bytes, fails ? 0 : 4);
    EXPECT_EQ(t.error.message.find("at offset " + std::to_string(4 * i)) != std::string::npos, fails)
        << t.error.message;
  }
  EXPECT_EQ(path.content(), std::string("data\0\0\0\0\0\0\0\0datadata", 20));
  EXPECT_EQ(file.remarks(), "faults were injected into 2 calls of rank 3");
}

TEST_P(FaultDrills, AnErrorAfterSomeBytesCountsThem) {
  const TemporaryFile path;
  auto opened = open(path.path(), "all:write1:EINTR=2,short=3,EDQUOT/all:read1:short=5,EIO");
  Storage& file = *opened.value().file;
  const Transfer t = write(file, 0, "0123456789");
  EXPECT_EQ(t.bytes, 3);
  EXPECT_EQ(t.error.kind, ErrorClass::quota);
  EXPECT_EQ(path.content(), "012");
  EXPECT_EQ(write(file, 3, "3456789").bytes, 7);
  const auto [r, text] = read(file, {0, 10});
  EXPECT_EQ(r.bytes, 5);
  EXPECT_EQ(r.error.kind, ErrorClass::io);
  EXPECT_EQ(text, "01234#####");
}

TEST_P(FaultDrills, ShortAndInterruptedTransfersAreContinued) {
  const TemporaryFile path;
  auto opened = open(path.path(), "all:write:EINTR=3,short=1/all:read:EINTR,short=7", true);
  const std::string text(20000, 'x');
  EXPECT_EQ(write(*opened.value().file, 100, text).bytes, 20000);
  const auto [t, found] = read(*opened.value().file, {100, 20000});
  EXPECT_EQ(t.bytes, 20000);
  EXPECT_TRUE(t.error.ok());
  EXPECT_EQ(found, text);
  EXPECT_EQ(path.content().substr(100), text);
}

TEST_P(FaultDrills, ATransferThatMovesNothingIsAnErrorOrTheEndOfTheFile) {
  const TemporaryFile path("0123456789");
  auto opened = open(path.path(), "all:write:ZERO/all:read:short=4,ZERO");
  EXPECT_EQ(write(*opened.value().file, 0, "xx").error.kind, ErrorClass::io);
  const auto [t, found] = read(*opened.value().file, {0, 10});
  EXPECT_TRUE(t.error.ok());
  EXPECT_EQ(t.bytes, 4);
  EXPECT_EQ(path.content(), "0123456789");
}

TEST_P(FaultDrills, DelaysHoldEveryCallAndStuckOnesEndTogether) {
  const TemporaryFile path;
  auto opened = open(path.path(), "all:write1-2:stuck=0.15/all:write3:delay=0.1");
  Storage& file = *opened.value().file;
  const std::string text = "text";
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  const Clock::time_point begin = Clock::now();
  const Ticket one = file.start_write({0, 4}, data), two = file.start_write({4, 4}, data);
  EXPECT_NE(file.done(one) || file.done(two), file.overlaps());
  EXPECT_EQ(file.finish(one).bytes + file.finish(two).bytes, 8);
  const double stuck_s = seconds_since(begin);
  EXPECT_GE(stuck_s, 0.149);
  EXPECT_LT(stuck_s, 0.29);  // not one after the other
  EXPECT_EQ(write(file, 8, text).bytes, 4);
  EXPECT_GE(seconds_since(begin), stuck_s + 0.099);
  EXPECT_EQ(path.content(), "texttexttext");
}

TEST_P(FaultDrills, OpenAndSyncFailAsToldAndAreRepeatedWhenInterrupted) {
  const TemporaryFile path;
  const auto refused = open(path.path(), "all:open:EMFILE");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find(path.path()), std::string::npos);
  auto opened = open(path.path(), "all:open:EINTR=5/all:sync1:EINTR,EIO/all:sync2:EINTR=2");
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened.value().file->sync().kind, ErrorClass::io);
  EXPECT_TRUE(opened.value().file->sync().ok());
}

TEST_P(FaultDrills, RulesInAFileComeAndGo) {
  const TemporaryFile path, rules;
  auto opened = open(path.path(), "@" + rules.path());
  Storage& file = *opened.value().file;
  const auto say = [&](const std::string& text) { std::ofstream(rules.path()) << text; };
  EXPECT_EQ(write(file, 0, "a").bytes, 1);
  say("3:write2+:EIO\n");
  EXPECT_EQ(write(file, 1, "b").bytes, 1);
  EXPECT_EQ(write(file, 2, "c").error.kind, ErrorClass::io);
  say("3:write2+:nonsense\n");
  EXPECT_EQ(write(file, 2, "c").error.kind, ErrorClass::io) << "what was in force stays";
  say("");
  EXPECT_EQ(write(file, 2, "c").bytes, 1);
  EXPECT_EQ(path.content(), "abc");
}

TEST_P(FaultDrills, OthersAreNotConcerned) {
  const TemporaryFile path;
  auto opened = open(path.path(), "0-2,4:write:EIO/aggregators:write:EIO");
  EXPECT_EQ(write(*opened.value().file, 0, "a").bytes, 1);
  EXPECT_EQ(opened.value().file->remarks(), "");
}

INSTANTIATE_TEST_SUITE_P(Kinds, FaultDrills,
                         testing::Values(StorageKind::posix, StorageKind::threads, StorageKind::uring),
                         [](const auto& p) { return std::string(policy::name_of(p.param)); });

}  // namespace
}  // namespace collio::storage
