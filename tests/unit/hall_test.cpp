// Ranks that have come into one memory before they open a file: what they left there, and what they hear.
#include <gtest/gtest.h>

#include "engine/open/reception.hpp"
#include "ranks_in_process.hpp"
#include "schedule.hpp"

namespace collio::engine {
namespace {

constexpr int ranks = 3;

/// As three ranks leave it: processors 0, 1 and 64, of two memory domains that have 0-63 and 64-127.
void leave(Hall::Left& left) {
  left.processors[0] = 0b11;
  left.processors[1] = 0b1;
  left.ranks[0] = 17;
  left.ranks[1] = 18;
  left.first.numas = 3;
  left.first.processors[0][0] = ~std::uint64_t{0};
  left.first.processors[1][1] = ~std::uint64_t{0};
  left.first.processors[2][2] = ~std::uint64_t{0};  // no rank may run there
  left.first.facts.nics = 4;
  left.first.facts.cores = 99;  // to be counted
}

TEST(Hall, RanksHearTheFirstAndAgreeWhoeverComesFirst) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    Hall::Left left{};
    leave(left);
    constexpr std::size_t bytes = 256;
    auto boards = transport::boards_of(ranks, bytes);
    transport::Schedule schedule(seed, ranks);
    const auto body = [&](int rank) {
      const std::shared_ptr<transport::NodeBoard> board(&boards[static_cast<std::size_t>(rank)],
                                                        [](auto*) {});
      const Hall hall(MPI_COMM_NULL, board, left, seed % 2 == 0);
      EXPECT_EQ(hall.facts().cores, 3);
      EXPECT_EQ(hall.facts().numas, 2);
      EXPECT_EQ(hall.facts().nics, 4);
      EXPECT_EQ(hall.ranks(), (std::array<std::uint64_t, 2>{17, 18}));
      EXPECT_EQ(hall.strangers(), seed % 2 == 0);
      for (int call = 0; call < 6; ++call) {
        std::array<std::byte, bytes> record;
        record.fill(static_cast<std::byte>(10 * call + rank));
        hall.hear_first(record);
        EXPECT_EQ(std::ranges::count(record, static_cast<std::byte>(10 * call)), bytes) << "rank " << rank;
        transport::Fiber::give_way();
        EXPECT_EQ(hall.all_true(rank != call), call >= ranks) << "rank " << rank << ", call " << call;
      }
    };
    ASSERT_TRUE(schedule.run({}, body, [] {})) << "seed " << seed;
  }
}

}  // namespace
}  // namespace collio::engine
