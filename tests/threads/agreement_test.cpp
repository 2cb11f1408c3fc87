// What ranks come to know together: errors, calls that differ, numbers. Ranks are threads on one board.
#include "transport/node_memory/agreement.hpp"

#include <gtest/gtest.h>

#include "board_agreement.hpp"
#include "ranks.hpp"

namespace collio::transport {
namespace {

using core::Error;
using core::ErrorClass;

/// body(agreement, rank) on each rank.
template <class Body>
void agree(const Body& body) {
  auto boards = boards_of(ranks, BoardAgreement::record_bytes);
  run_ranks([&](int rank) {
    BoardAgreement agreement(boards[static_cast<std::size_t>(rank)]);
    body(agreement, rank);
  });
}

CallHere call_here(int kind, const char* name) {
  CallHere here;
  here.kind = kind;
  std::snprintf(here.name, sizeof here.name, "%s", name);
  return here;
}

TEST(Agreement, TheWorstErrorWinsWithTheWordsOfItsOwnRank) {
  agree([](Agreement& a, int rank) {
    Error mine;
    if (rank == 1) mine = {ErrorClass::access, "mine alone"};
    if (rank == 2) mine = {ErrorClass::no_memory, "too little"};
    const ErrorClass worst = std::max(ErrorClass::access, ErrorClass::no_memory);
    const int whose = worst == ErrorClass::access ? 1 : 2;
    const Error all = a.worst(mine, "cannot open it");
    EXPECT_EQ(all.kind, worst);
    EXPECT_EQ(all.message,
              rank == whose ? mine.message : "rank " + std::to_string(whose) + " cannot open it");
    EXPECT_TRUE(a.worst({}, "cannot open it").ok());
  });
}

TEST(Agreement, OfTheSameErrorTheHighestRankIsNamed) {
  agree([](Agreement& a, int rank) {
    const Error all = a.worst(rank < 3 ? Error{ErrorClass::io, "here"} : Error{}, "fails");
    EXPECT_EQ(all.message, rank < 3 ? "here" : "rank 2 fails");
  });
}

TEST(Agreement, NumbersGoAlongWithTheErrors) {
  agree([](Agreement& a, int rank) {
    std::int64_t more[Agreement::most_numbers];
    for (int i = 0; i < static_cast<int>(std::size(more)); ++i)
      more[i] = (rank + i) % ranks == 0 ? i + 1 : -i;
    EXPECT_TRUE(a.worst({}, "", more).ok());
    for (int i = 0; i < static_cast<int>(std::size(more)); ++i) EXPECT_EQ(more[i], i + 1);
    EXPECT_EQ(a.least(100 - rank), 100 - (ranks - 1));
    std::vector<std::int32_t> counts{rank, 1, -rank}, most{rank, -rank};
    a.sum(counts);
    a.maximum(most);
    EXPECT_EQ(counts, (std::vector<std::int32_t>{6, ranks, -6}));
    EXPECT_EQ(most, (std::vector<std::int32_t>{ranks - 1, 0}));
  });
}

TEST(Agreement, DifferentCallsAreNamedOnAllRanksByTheLowestOfEach) {
  agree([](Agreement& a, int rank) {
    const std::string file = "/data/out.nc";
    CallHere here =
        rank == 0 || rank == 3 ? call_here(5, "MPI_File_write_all") : call_here(7, "MPI_File_sync");
    here.file = &file;
    a.come_to(here);
    const Error error = a.worst(rank == 2 ? Error{ErrorClass::io, "broken"} : Error{}, "");
    EXPECT_EQ(error.kind, ErrorClass::not_same);
    EXPECT_EQ(error.message,
              "/data/out.nc: ranks make different collective calls: rank 1 calls MPI_File_sync, rank 0 calls "
              "MPI_File_write_all");
    a.come_to(call_here(8, "MPI_File_close"));  // they go on
    EXPECT_TRUE(a.worst({}, "").ok());
  });
}

TEST(Agreement, WordsOfARankComeToAllAndAreCutWhereTheyAreLong) {
  agree([](Agreement& a, int rank) {
    EXPECT_EQ(a.words_of(2, "no space [" + std::to_string(rank) + "]"), "rank 2: no space [2]");
    const std::string cut = a.words_of(1, std::string(1000, 'x'));
    EXPECT_LT(cut.size(), 8u + 400);
    EXPECT_GT(cut.size(), 300u);
  });
}

TEST(Agreement, AnOutcomeIsTheWorstOfEachRanks) {
  agree([](Agreement& a, int rank) {
    Outcome o;
    if (rank == 1) o.error = static_cast<std::int64_t>(ErrorClass::io), o.failed_rank = 1;
    o.intact_below = 1000 + rank;
    o.again = rank == 2;
    o.left_out = rank == 3;
    o.longest_ns = 10 * rank;
    a.outcome(o);
    EXPECT_EQ(o.error, static_cast<std::int64_t>(ErrorClass::io));
    EXPECT_EQ(o.failed_rank, 1);
    EXPECT_EQ(o.intact_below, 1000);
    EXPECT_EQ(o.again, 1);
    EXPECT_EQ(o.left_out, 1);
    EXPECT_EQ(o.untiled, 0);
    EXPECT_EQ(o.longest_ns, 10 * (ranks - 1));
  });
}

TEST(Agreement, ADigestSaysWhatAllRanksBring) {
  agree([](Agreement& a, int rank) {
    for (int call = 0; call < 50; ++call) {
      policy::Digest d;
      d.low = 100 * (rank + 1);
      d.high = d.low + 10;
      d.bytes = call + rank;
      d.error = rank == call % ranks ? 3 : 0;
      Outcome ahead;
      ahead.untiled = rank == 0;
      ASSERT_TRUE(a.digest(d, ahead).ok());
      ASSERT_EQ(d.low, 100);
      ASSERT_EQ(d.high, 100 * ranks + 10);
      ASSERT_EQ(d.bytes, ranks * call + 6);
      ASSERT_EQ(d.error, 3);
      ASSERT_EQ(ahead.untiled, 1);
    }
  });
}

}  // namespace
}  // namespace collio::transport
