// Calls on a file that one rank has open: what each brings to the agreement, and how it is remembered.
#include <gtest/gtest.h>

#include "engine/call/call.hpp"
#include "engine/call/own_call.hpp"
#include "engine/call/prepare_call.hpp"
#include "open_file.hpp"

namespace collio::engine {
namespace {

using core::ErrorClass;
using policy::Direction;
using test::OpenedFile;

CallRequest request(std::string& bytes, Direction direction, std::int64_t position = 0) {
  CallRequest made;
  made.direction = direction;
  made.operation = direction == Direction::write ? "write_all" : "read_all";
  made.position = position;
  made.memory = access::MemoryAccess(bytes.data(), core::Pattern::contiguous(0, std::ssize(bytes)));
  return made;
}
CallRequest writing(std::string& bytes, std::int64_t position = 0) {
  return request(bytes, Direction::write, position);
}

TEST(PrepareCall, ADigestHasThisRanksAccess) {
  const OpenedFile<> opened;
  observe::Steps steps;
  std::string bytes(1000, 'x');
  const CallRequest call = writing(bytes, 24);
  const Prepared prepared = prepare(opened.file(), call, steps);
  const policy::Digest digest = digest_of(opened.file(), prepared, call);
  EXPECT_EQ(digest.bytes, 1000);
  EXPECT_EQ(digest.low, 24);
  EXPECT_EQ(digest.high, 1024);
  EXPECT_EQ(digest.pieces, 1);
  EXPECT_EQ(digest.active_ranks, 1);
  EXPECT_EQ(digest.error, 0);
  EXPECT_EQ(digest.in_background + digest.unordered + digest.undescribed + digest.went_alone, 0);
  EXPECT_EQ(digest.offset_bits & 7, 0) << "all in multiples of 8";
  EXPECT_NE(digest.offset_bits & 1024, 0);
}

TEST(PrepareCall, ARankWithAnErrorBringsNoBytes) {
  const OpenedFile<> opened;
  observe::Steps steps;
  std::string bytes(1000, 'x');
  CallRequest call = writing(bytes);
  call.error = {ErrorClass::argument, "wrong"};
  const Prepared prepared = prepare(opened.file(), call, steps);
  const policy::Digest digest = digest_of(opened.file(), prepared, call);
  EXPECT_EQ(prepared.error->message, "wrong");
  EXPECT_EQ(digest.error, static_cast<std::int64_t>(ErrorClass::argument));
  EXPECT_EQ(digest.bytes, 0);
  call.error = {};
  call.undescribed = true;
  EXPECT_EQ(digest_of(opened.file(), prepare(opened.file(), call, steps), call).undescribed, 1);
}

TEST(PrepareCall, AnErrorThatNobodyWasToldIsTheCallS) {
  const OpenedFile<> opened;
  observe::Steps steps;
  opened.file().unmet.untold = {ErrorClass::io, "late"};
  std::string bytes(8, 'x');
  EXPECT_EQ(prepare(opened.file(), writing(bytes), steps).error->message, "late");
  CallRequest call = writing(bytes);
  call.error = {ErrorClass::type, "own"};
  EXPECT_EQ(prepare(opened.file(), call, steps).error->message, "own");
  EXPECT_EQ(collective_call(opened.file(), writing(bytes)).error.message, "late");
  EXPECT_TRUE(collective_call(opened.file(), writing(bytes)).error.ok()) << "it is told once";
}

TEST(PrepareCall, PiecesOfTheFileCountWhateverItsView) {
  const OpenedFile<> opened;
  std::string bytes(16, 'x');
  CallRequest call = writing(bytes, 1000);
  call.pieces = std::make_shared<const access::FileAccess>(
      access::whole_access(core::Pattern::contiguous(8, 8).repeated({2, 32})));
  const access::FileAccess access = access_of(opened.file(), call);
  EXPECT_EQ(access.span.offset, 8);
  EXPECT_EQ(access.span.length, 40);
  EXPECT_EQ(access.bytes, 16);
}

TEST(Call, AWriteIsInTheFileAndInTheLog) {
  const OpenedFile<> opened;
  std::string bytes = "0123456789", there(10, ' ');
  const Completion done = collective_call(opened.file(), writing(bytes, 5));
  EXPECT_TRUE(done.error.ok() && !done.native);
  EXPECT_EQ(done.bytes, 10);
  EXPECT_EQ(opened.content(), std::string(5, '\0') + bytes);
  const Completion read = collective_call(opened.file(), request(there, Direction::read, 10));
  EXPECT_EQ(read.bytes, 5) << "to the end of the file";
  EXPECT_EQ(there.substr(0, 5), "56789");
  const auto& log = opened.file().records.log.records();
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0].operation, "write_all");
  EXPECT_EQ(log[0].all_bytes, 10);
  EXPECT_EQ(log[0].counters.bytes, 10);
  EXPECT_EQ(done.record, 0U);
}

TEST(Call, TheSamePiecesFurtherOnAreRemembered) {
  const OpenedFile<> opened(test::Hints{{"collio_path", "two_phase"}});
  std::string bytes(100, 'x');
  for (int step = 0; step < 3; ++step)
    EXPECT_TRUE(collective_call(opened.file(), writing(bytes, 100 * step)).error.ok());
  std::int64_t calls = 0, remembered = 0;
  for (const observe::CallRecord& record : opened.file().records.log.records()) {
    calls += record.repeats;
    remembered += record.counts.remembered;
    EXPECT_EQ(record.path, "two_phase");
  }
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(remembered, 2);
  opened.file().forget_plans();
  EXPECT_EQ(opened.content(), std::string(300, 'x'));
}

TEST(Call, WhatTheRanksCannotDescribeIsTheLibrarys) {
  const OpenedFile<> opened;
  std::string bytes(100, 'x');
  CallRequest call = writing(bytes);
  call.undescribed = true;
  EXPECT_TRUE(collective_call(opened.file(), call).native);
  EXPECT_EQ(opened.content(), "");
}

TEST(OwnCall, WithoutCollectiveBufferingNothingIsAgreed) {
  const OpenedFile<> opened(test::Hints{{"romio_cb_write", "disable"}});
  File& file = opened.file();
  std::string bytes(100, 'x');
  CallRequest call = writing(bytes);
  EXPECT_FALSE(goes_unmet(file, call)) << "of a front whose ranks always synchronize";
  call.may_go_unmet = true;
  EXPECT_TRUE(goes_unmet(file, call));
  EXPECT_FALSE(goes_unmet(file, [&] {
    CallRequest read = request(bytes, Direction::read);
    read.may_go_unmet = true;
    return read;
  }()));
  EXPECT_EQ(collective_call(file, call).bytes, 100);
  EXPECT_EQ(file.unmet.writes.made, 1);
  EXPECT_EQ(file.unmet.writes.span.length, 100);
  EXPECT_TRUE(file.records.log.records().empty());
  EXPECT_EQ(opened.content(), bytes);
}

TEST(OwnCall, AnErrorThatIsOwedFailsTheNextCallOnce) {
  const OpenedFile<> opened(test::Hints{{"romio_cb_write", "disable"}});
  std::string bytes(100, 'x');
  CallRequest call = writing(bytes);
  call.may_go_unmet = true;
  opened.file().unmet.owed = {ErrorClass::quota, "owed"};
  EXPECT_FALSE(moves_at_once(opened.file(), Direction::write));
  EXPECT_EQ(collective_call(opened.file(), call).error.message, "owed");
  EXPECT_EQ(opened.content(), "");
  EXPECT_TRUE(collective_call(opened.file(), call).error.ok());
}

TEST(OwnCall, OnePieceIsMovedAndBookedInOneStep) {
  const OpenedFile<> opened(test::Hints{{"romio_cb_write", "disable"}, {"romio_cb_read", "disable"}});
  File& file = opened.file();
  std::string bytes = "abcdef", there(4, ' ');
  ASSERT_TRUE(moves_at_once(file, Direction::write));
  OnePiece piece{
      .operation = "write_all", .extent = {2, 6}, .memory = reinterpret_cast<std::byte*>(bytes.data())};
  EXPECT_TRUE(unmet_piece(file, piece));
  EXPECT_EQ(file.unmet.writes.made, 1);
  EXPECT_EQ(file.unmet.writes.record.counters.bytes, 6);
  OnePiece read{.direction = Direction::read,
                .operation = "read_all",
                .extent = {4, 4},
                .memory = reinterpret_cast<std::byte*>(there.data())};
  EXPECT_TRUE(unmet_piece(file, read));
  EXPECT_EQ(there, "cdef");
  read.extent = {6, 4};
  EXPECT_FALSE(unmet_piece(file, read)) << "the file ends: unmet_call() says how many bytes came";
  EXPECT_EQ(file.unmet.reads.made, 1) << "nothing was booked";
}

TEST(OwnCall, OfManyShortCallsOneInSixteenIsTimed) {
  const OpenedFile<> opened(test::Hints{{"romio_cb_write", "disable"}});
  File& file = opened.file();
  std::string bytes(8, 'x');
  int timed = 0;
  for (int i = 0; i < 16 + 32; ++i) {
    OnePiece piece{
        .operation = "write_all", .extent = {0, 8}, .memory = reinterpret_cast<std::byte*>(bytes.data())};
    piece.timed = is_timed(file, Direction::write, 8);
    timed += piece.timed ? 1 : 0;
    ASSERT_TRUE(unmet_piece(file, piece));
  }
  EXPECT_EQ(timed, 16 + 2);
  EXPECT_TRUE(is_timed(file, Direction::write, 1 << 20)) << "long ones are";
}

TEST(OwnCall, AnIndependentCallFailsWhereItCannotBeDescribed) {
  const OpenedFile<> opened;
  std::string bytes(8, 'x');
  CallRequest call = writing(bytes);
  call.undescribed = true;
  EXPECT_EQ(independent_call(opened.file(), call).error.kind, ErrorClass::type);
  call.undescribed = false;
  EXPECT_EQ(independent_call(opened.file(), call).bytes, 8);
}

}  // namespace
}  // namespace collio::engine
