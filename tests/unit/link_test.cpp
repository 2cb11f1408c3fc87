// Message tags: windows that are under way at the same time never share one.
#include "transport/messages/link.hpp"

#include <gtest/gtest.h>

#include <set>

#include "policy/plan/plan.hpp"

namespace collio::transport {
namespace {

int tag(int domains, int domain, std::int64_t round) {
  MessageLink link;
  link.domains = domains;
  return tag_of(link, domain, round);
}

TEST(Tags, RoundsOfOneDomainHaveTagsOfTheirOwn) {
  for (const int domains : {1,    2,    3,    4,    5,    7,     10,    128,   1000,  1999,
                            2000, 4000, 7999, 8000, 8001, 15999, 16000, 16001, 32000, 128000}) {
    std::set<int> seen;
    for (std::int64_t round = 0; round < 1000; ++round)
      seen.insert(tag(domains, domains - 1, 5'000'000'000 + round));
    EXPECT_EQ(seen.size(), 1000u) << domains << " domains";
  }
}

TEST(Tags, NeighboursInTheOrderOfWindowsHaveTagsOfTheirOwn) {
  constexpr int near = 2 * policy::most_node_slots;
  for (const int domains : {1, 2, 3, 4, 5, 10, 64, 128, 1000, 2000, 8000, 16000, 32000}) {
    for (const std::int64_t begin :
         {std::int64_t{0}, std::int64_t{15990}, std::int64_t{3} * domains - near / 2}) {
      std::set<int> seen;
      for (std::int64_t number = std::max<std::int64_t>(begin, 0), end = number + near; number < end;
           ++number)
        seen.insert(tag(domains, static_cast<int>(number % domains), number / domains));
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(near)) << domains << " domains, from window " << begin;
    }
  }
}

TEST(Tags, KeepToWhatEveryMpiLibraryHas) {
  for (const int domains : {1, 8000, 16000, 128000})
    for (std::int64_t round = 0; round < 40000; round += 7) {
      MessageLink link;
      link.domains = domains;
      EXPECT_GT(tag_of(link, domains - 1, round), tag_answer);
      EXPECT_LT(answer_tag_of(link, domains - 1, round), tag_done);
      EXPECT_LT(tag_of(link, domains - 1, round), answer_tag_of(link, 0, 0));
    }
}

}  // namespace
}  // namespace collio::transport
