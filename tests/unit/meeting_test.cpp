// Collective calls of ranks that agree, in every order that dice choose: a rank fails at each point, or stops
// at each point. What a call does is here; how ranks agree is the engine's.
#include <gtest/gtest.h>

#include <string>

#include "board_agreement.hpp"
#include "schedule.hpp"
#include "transport/node_memory/agreement.hpp"

namespace collio::transport {
namespace {

using core::Error;
using core::ErrorClass;

constexpr int calls = 4;

/// Where a rank of the job fails, and how.
struct Failure {
  enum Point { none, digest, moving, elsewhere } point = none;
  int call = 0, rank = 0;
};

/// Some ranks make the same calls.
class Job {
 public:
  Job(int ranks, const Failure& failure)
      : failure_(failure), boards_(boards_of(ranks, BoardAgreement::record_bytes)), said_(boards_.size()) {}

  void run(int rank) {
    NodeBoard& board = boards_[static_cast<std::size_t>(rank)];
    BoardAgreement agreement(board);
    for (int call = 0; call < calls; ++call) {
      said_[static_cast<std::size_t>(rank)].push_back(make_call(agreement, rank, call));
      Fiber::give_way();
    }
  }
  /// Calls that a rank has come out of.
  [[nodiscard]] int over(int rank) const {
    return static_cast<int>(said_[static_cast<std::size_t>(rank)].size());
  }
  /// How each call ended on a rank.
  [[nodiscard]] const std::vector<std::string>& said(int rank) const {
    return said_[static_cast<std::size_t>(rank)];
  }

 private:
  [[nodiscard]] bool fails(Failure::Point point, int rank, int call) const {
    return failure_.point == point && failure_.rank == rank && failure_.call == call;
  }

  /// Digest, numbers, outcome, the words of a rank that failed: what a collective write does.
  std::string make_call(BoardAgreement& agreement, int rank, int call) {
    CallHere here;
    here.kind = fails(Failure::elsewhere, rank, call) ? 99 : 1;
    std::snprintf(here.name, sizeof here.name, "%s", here.kind == 1 ? "write" : "sync");
    agreement.come_to(here);
    policy::Digest digest;
    digest.bytes = 10;
    digest.error = fails(Failure::digest, rank, call) ? 1 : 0;
    Outcome ahead;
    if (const Error other = agreement.digest(digest, ahead); !other.ok()) return other.message;
    EXPECT_EQ(digest.bytes, 10 * static_cast<std::int64_t>(boards_.size()));
    if (digest.error != 0) return "not begun";
    Fiber::give_way();
    std::vector<std::int32_t> senders{1, rank};
    agreement.sum(senders);
    EXPECT_EQ(senders[0], static_cast<int>(boards_.size()));
    Fiber::give_way();
    Outcome mine;
    if (fails(Failure::moving, rank, call))
      mine.error = static_cast<std::int64_t>(ErrorClass::io), mine.failed_rank = rank;
    agreement.outcome(mine);
    return mine.error == 0 ? "" : agreement.words_of(mine.failed_rank, "disk of " + std::to_string(rank));
  }

  Failure failure_;
  std::deque<NodeBoard> boards_;
  std::vector<std::vector<std::string>> said_;
};

/// What every rank must learn of a call.
std::string expected(const Failure& failure, int call) {
  if (failure.point == Failure::none || failure.call != call) return "";
  const std::string rank = std::to_string(failure.rank);
  if (failure.point == Failure::digest) return "not begun";
  if (failure.point == Failure::moving) return "rank " + rank + ": disk of " + rank;
  const int other = failure.rank == 0 ? 1 : 0;
  return "ranks make different collective calls: rank " + rank + " calls sync, rank " +
         std::to_string(other) + " calls write";
}

void expect_all_heard(const Job& job, const Failure& failure, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    ASSERT_EQ(job.over(rank), calls);
    for (int call = 0; call < calls; ++call)
      EXPECT_EQ(job.said(rank)[static_cast<std::size_t>(call)], expected(failure, call))
          << "rank " << rank << ", call " << call;
  }
}

TEST(Meeting, AFailureAtAnyPointIsHeardByAllRanksAndByNoOtherCall) {
  for (const int ranks : {2, 3})
    for (const auto point : {Failure::none, Failure::digest, Failure::moving, Failure::elsewhere})
      for (int rank = 0; rank < ranks; ++rank)
        for (int call = 0; call < calls; ++call) {
          const Failure failure{point, call, rank};
          for (std::uint32_t seed = 0; seed < 10; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(ranks) + " ranks, point " +
                         std::to_string(point));
            Job job(ranks, failure);
            Schedule schedule(seed, ranks);
            ASSERT_TRUE(schedule.run({}, [&](int one) { job.run(one); }, [] {}));
            expect_all_heard(job, failure, ranks);
          }
        }
}

/// A rank that has died looks like one that is late: the others wait, whatever it has said so far.
TEST(Meeting, NoRankLeavesACallThatAStoppedRankHasNotComeThrough) {
  for (const int ranks : {2, 3})
    for (int rank = 0; rank < ranks; ++rank)
      for (int after = 0; after < 40; ++after) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks, rank " + std::to_string(rank) + " stops after " +
                     std::to_string(after) + " steps");
        Job job(ranks, {});
        Schedule schedule(static_cast<std::uint32_t>(after), ranks);
        ASSERT_TRUE(schedule.run(
            {rank, after}, [&](int one) { job.run(one); },
            [&] {
              for (int other = 0; other < ranks; ++other) EXPECT_LE(job.over(other), job.over(rank) + 1);
            }));
        expect_all_heard(job, {}, ranks);
      }
}

TEST(Meeting, TheSameSeedIsTheSameOrder) {
  std::vector<int> steps[2];
  for (auto& one : steps) {
    Job job(3, {});
    Schedule schedule(7, 3);
    ASSERT_TRUE(schedule.run({}, [&](int rank) { job.run(rank); }, [] {}));
    for (int rank = 0; rank < 3; ++rank) one.push_back(schedule.steps(rank));
  }
  EXPECT_EQ(steps[0], steps[1]);
}

}  // namespace
}  // namespace collio::transport
