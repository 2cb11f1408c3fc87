// Who takes part in which window.
#include "flow/tally.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace collio::flow {
namespace {

policy::Domains domains_of(int count, std::int64_t windows) {
  policy::Domains d;
  d.window_bytes = 4096;
  d.domain_bytes = windows * d.window_bytes;
  d.count = count;
  d.high = count * d.domain_bytes;
  return d;
}

TEST(Tally, CountsRanksByWindowAndTeam) {
  const policy::Domains domains = domains_of(3, 4);
  std::vector<Tally::Counter> counters(100);
  Tally tally(domains, 2, counters);
  EXPECT_EQ(tally.counters(), 3 * 4 * 2);
  tally.add(tally.place(1, 2), 0);
  tally.add(tally.place(1, 2), 0);
  tally.add(tally.place(1, 2), 1);
  EXPECT_EQ(tally.ranks(1, 2, 0), 2);
  EXPECT_EQ(tally.ranks(1, 2, 1), 1);
  EXPECT_EQ(tally.ranks(1, 2), 3);
  EXPECT_EQ(tally.ranks(1, 1), 0);
  EXPECT_EQ(tally.ranks(2, 2), 0);
}

TEST(Tally, KnowsTheTeamsThatComeAndTheirNextRound) {
  const policy::Domains domains = domains_of(2, 6);
  std::vector<Tally::Counter> counters(100);
  Tally tally(domains, 3, counters);
  tally.add(tally.place(0, 1), 2);
  tally.add(tally.place(0, 4), 0);
  tally.add(tally.place(0, 4), 2);
  EXPECT_EQ(tally.teams(0, 4), 2);
  EXPECT_EQ(tally.teams(0, 4, 2), 1);
  EXPECT_EQ(tally.next_round(0, 0, 0, 3), 1);
  EXPECT_EQ(tally.next_round(0, 0, 0, 1), 4);
  EXPECT_EQ(tally.next_round(0, 4, 0, 3), -1);
  EXPECT_EQ(tally.next_round(1, 0, 0, 3), -1);
}

TEST(Tally, OneCounterStandsForSeveralWindowsWhereMemoryIsShort) {
  const policy::Domains domains = domains_of(4, 1000);
  for (const std::size_t memory : {std::size_t{7}, std::size_t{64}, std::size_t{4000}}) {
    std::vector<Tally::Counter> counters(memory);
    Tally tally(domains, 3, counters);
    EXPECT_LE(tally.counters(), static_cast<std::int64_t>(memory));
    EXPECT_LT(tally.place(3, 999), tally.places());
    tally.add(tally.place(2, 500), 1);
    EXPECT_EQ(tally.ranks(2, 500), 1);
    EXPECT_EQ(tally.ranks(0, 0), tally.place(0, 0) == tally.place(2, 500) ? 1 : 0);
  }
}

/// A counter stands for windows of one domain, or for whole domains: where a rank takes part in a domain's
/// later windows it can do so in the first one as well.
TEST(Tally, NoCounterStandsForPartsOfSeveralDomains) {
  const policy::Domains domains = domains_of(7, 10);
  for (std::size_t memory = 1; memory <= 80; ++memory) {
    std::vector<Tally::Counter> counters(memory);
    const Tally tally(domains, 1, counters);
    EXPECT_LE(tally.counters(), static_cast<std::int64_t>(memory));
    for (int d = 0; d + 1 < domains.count; ++d)
      if (tally.place(d, 9) == tally.place(d + 1, 0)) {
        EXPECT_EQ(tally.place(d, 0), tally.place(d + 1, 9)) << memory;
      }
  }
}

}  // namespace
}  // namespace collio::flow
