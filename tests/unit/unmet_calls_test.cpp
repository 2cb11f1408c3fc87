// Ranks that made calls without each other meet again: what each learns of the others' errors, and what the
// log has. Ranks of one process, in random order.
#include "engine/file/unmet_calls.hpp"

#include <gtest/gtest.h>

#include "board_agreement.hpp"
#include "schedule.hpp"

namespace collio::engine {
namespace {

using core::Error;
using core::ErrorClass;
using transport::BoardAgreement;

/// A rank, its calls so far, and the call in which it meets the others.
struct Rank {
  UnmetCalls unmet;
  observe::CallLog log;
  std::string call = "sync";
  Error heard;

  /// Has made a call of that many bytes.
  void made(policy::Direction direction, int rank, const core::Extent& bytes, const Error& error = {}) {
    UnmetCalls::OneWay& way = unmet.of(direction);
    ++way.made;
    way.record.operation = "write_all";
    way.record.counters.bytes += bytes.length;
    ++way.record.all_pieces;
    way.note(rank, bytes, error);
  }
};

constexpr auto writing = policy::Direction::write, reading = policy::Direction::read;
const Error full{ErrorClass::no_space, "disk full"};
constexpr const char* of_write =
    " (in a write or sync that each rank made for itself, as romio_cb_write=disable asks)";

class UnmetRanks : public ::testing::Test {
 protected:
  UnmetRanks() : ranks_(3) {}

  /// All ranks meet, and as often again as they do so without more calls.
  void meet(const UnmetWays& ways, std::uint32_t seed = 1) {
    auto boards = transport::boards_of(size(), BoardAgreement::record_bytes);
    transport::Schedule schedule(seed, size());
    ASSERT_TRUE(schedule.run(
        {},
        [&](int rank) {
          Rank& one = ranks_[static_cast<std::size_t>(rank)];
          BoardAgreement agreement(boards[static_cast<std::size_t>(rank)]);
          transport::CallHere here;
          here.kind = one.call == "sync" ? 1 : 2;
          agreement.come_to(here);
          one.heard = hear_of_unmet({agreement, one.unmet, one.log, rank, size()}, ways, one.call);
          EXPECT_EQ(agreement.here().kind, here.kind) << "the rank is in its own call again";
        },
        [] {}));
  }
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  void expect_heard(const std::vector<std::string>& messages) const {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      EXPECT_EQ(ranks_[rank].heard.message, messages[rank]) << "rank " << rank;
  }

  std::vector<Rank> ranks_;
};

TEST_F(UnmetRanks, WithoutErrorsTheLogHasTheCallsOfAllRanks) {
  for (int rank = 0; rank < size(); ++rank)
    for (int i = 0; i <= rank; ++i)
      ranks_[static_cast<std::size_t>(rank)].made(writing, rank, {100 * rank, 10});
  meet({.writes = true});
  expect_heard({"", "", ""});
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    ASSERT_EQ(ranks_[rank].log.records().size(), 1U);
    const observe::CallRecord& record = ranks_[rank].log.records()[0];
    EXPECT_EQ(record.repeats, static_cast<std::int64_t>(rank) + 1);
    EXPECT_EQ(record.counts.unmet, static_cast<std::int64_t>(rank) + 1);
    EXPECT_EQ(record.all_bytes, 10 + 20 + 30);
    EXPECT_EQ(record.all_pieces, 1 + 2 + 3);
    EXPECT_EQ(record.span_bytes, 210);
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(ranks_[rank].unmet.writes.made, 0) << "it is told";
  }
}

TEST_F(UnmetRanks, AnErrorReachesRanksThatLackIt) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    ranks_ = std::vector<Rank>(3);
    ranks_[1].made(writing, 1, {0, 10}, full);
    meet({.writes = true}, seed);
    std::string text = "rank 1: disk full";
    text += of_write;
    expect_heard({text, text, text});
    EXPECT_EQ(ranks_[0].heard.kind, ErrorClass::no_space);
    EXPECT_EQ(ranks_[1].log.records()[0].error, "failed");
    EXPECT_TRUE(ranks_[0].log.records().empty()) << "it made none";
  }
}

TEST_F(UnmetRanks, AnErrorThatAllRanksHaveHadIsNotRepeated) {
  for (int rank = 0; rank < size(); ++rank)
    ranks_[static_cast<std::size_t>(rank)].made(writing, rank, {0, 1}, full);
  meet({.writes = true});
  expect_heard({"", "", ""});
}

TEST_F(UnmetRanks, ARankThatLeftItsLoopAtAnErrorGoesOnToWhereTheOthersCome) {
  ranks_[2].made(writing, 2, {0, 10}, full);
  ranks_[2].call = "close";
  meet({.writes = true});
  const std::string text = std::string("rank 2: disk full") + of_write;
  expect_heard({text, text, ""});
}

TEST_F(UnmetRanks, AnErrorOfASyncThatNobodyWasToldIsTold) {
  ranks_[0].unmet.untold = full;
  meet({.writes = true});
  const std::string text = std::string("rank 0: disk full") + of_write;
  expect_heard({text, text, text});
  EXPECT_TRUE(ranks_[0].unmet.untold.ok());
  meet({.writes = true});
  expect_heard({"", "", ""});
}

TEST_F(UnmetRanks, ReadsAreToldWhereAnyRankHasMadeOne) {
  ranks_[0].made(reading, 0, {0, 10}, {ErrorClass::io, "bad disk"});
  meet({.writes = true, .reads = true});
  const std::string text =
      "rank 0: bad disk (in a read or sync that each rank made for itself, as romio_cb_read=disable asks)";
  expect_heard({text, text, text});
}

TEST_F(UnmetRanks, TheWorseOfAReadAndAWriteCounts) {
  ranks_[0].made(reading, 0, {0, 10}, {ErrorClass::io, "bad disk"});
  ranks_[1].made(writing, 1, {0, 10}, full);
  meet({.writes = true, .reads = true});
  for (const Rank& rank : ranks_) EXPECT_EQ(rank.heard.kind, ErrorClass::no_space);
}

TEST_F(UnmetRanks, TheWorstErrorOfOneRankIsTheOneThatIsTold) {
  ranks_[1].made(writing, 1, {0, 10}, {ErrorClass::io, "first"});
  ranks_[1].made(writing, 1, {50, 10}, full);
  ranks_[1].made(writing, 1, {20, 0}, {ErrorClass::io, "later"});
  EXPECT_EQ(ranks_[1].unmet.writes.span.offset, 0);
  EXPECT_EQ(ranks_[1].unmet.writes.span.length, 60) << "calls without bytes have no span";
  meet({.writes = true});
  EXPECT_EQ(ranks_[0].heard.message, std::string("rank 1: disk full") + of_write);
}

}  // namespace
}  // namespace collio::engine
