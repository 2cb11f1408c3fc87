// Several ranks, each with a memory of its own: they recognise a repeated call together or not at all.
#include "engine/file/plan_memory.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <optional>

#include "policy/placement/place_domains.hpp"

namespace collio::engine {
namespace {

using access::file_access;
using access::FileAccess;
using policy::Digest;
using policy::Direction;

/// `count` pieces of 8 bytes, 32 bytes apart, from file byte `begin` on.
FileAccess dealt(std::int64_t begin, std::int64_t count) {
  const auto type =
      std::make_shared<const access::TypeLayout>(access::TypeLayout{core::Pattern::contiguous(0, 8), 0, 32});
  return file_access({begin, 8, type}, 0, 8 * count);
}

/// The ranks of a file. Their digests are combined as the engine's reduction does.
class Ranks {
 public:
  explicit Ranks(std::size_t size) : memories_(size) {}

  Digest combined(const std::vector<FileAccess>& accesses) const {
    Digest all;
    for (std::size_t r = 0; r < memories_.size(); ++r) {
      const FileAccess& a = accesses[r];
      Digest mine;
      mine.bytes = a.bytes;
      if (a.bytes > 0) {
        mine.low = a.span.offset;
        mine.high = a.span.end();
        mine.active_ranks = 1;
      }
      const AccessShape shape = AccessShape::of(a);
      if (a.bytes > 0) mine.set_access({static_cast<int>(r), shape.hash, shape.offset});
      all.combine(mine);
    }
    return all;
  }

  /// Which earlier call rank 0 finds, after a look at whether all find the same; a call that none finds is
  /// remembered.
  std::int64_t call(const std::vector<FileAccess>& accesses, Direction direction = Direction::write) {
    const Digest all = combined(accesses);
    std::vector<std::int64_t> found;
    for (PlanMemory& memory : memories_) {
      const PlanMemory::Entry* entry = memory.find(all, direction);
      found.push_back(entry ? entry->id : 0);
    }
    EXPECT_EQ(std::ranges::count(found, found.front()), std::ssize(found));
    if (found.front() == 0) remember(accesses, all, direction);
    return found.front();
  }

  PlanMemory& memory(std::size_t rank) { return memories_[rank]; }

 private:
  void remember(const std::vector<FileAccess>& accesses, const Digest& all, Direction direction) {
    for (std::size_t r = 0; r < memories_.size(); ++r)
      memories_[r].remember({0,
                             direction,
                             AccessShape::of(accesses[r]),
                             all,
                             false,
                             false,
                             policy::CallTrials({policy::OpenWay{}}),
                             {}});
  }

  std::vector<PlanMemory> memories_;
};

TEST(AccessShape, IsTheSameFurtherOnInTheFile) {
  const AccessShape here = AccessShape::of(dealt(64, 10)), there = AccessShape::of(dealt(4096, 10));
  EXPECT_EQ(here.hash, there.hash);
  EXPECT_EQ(there.offset - here.offset, 4096 - 64);
  EXPECT_EQ(here.bytes, 80);
}

TEST(AccessShape, TellsOtherPiecesApart) {
  const FileAccess whole = dealt(0, 10);
  EXPECT_NE(AccessShape::of(whole).hash, AccessShape::of(dealt(0, 11)).hash);
  EXPECT_NE(AccessShape::of(whole).hash, AccessShape::of(file_access({0, 8, nullptr}, 0, 80)).hash);
  // As many bytes, and a piece cut elsewhere.
  const auto type =
      std::make_shared<const access::TypeLayout>(access::TypeLayout{core::Pattern::contiguous(0, 8), 0, 32});
  EXPECT_NE(AccessShape::of(file_access({0, 1, type}, 0, 80)).hash,
            AccessShape::of(file_access({0, 1, type}, 3, 80)).hash);
}

TEST(PlanMemory, FindsTheSameCallFurtherOn) {
  Ranks ranks(3);
  EXPECT_EQ(ranks.call({dealt(0, 10), dealt(8, 10), dealt(16, 10)}), 0);
  EXPECT_EQ(ranks.call({dealt(0, 10), dealt(8, 10), dealt(16, 10)}), 1);
  EXPECT_EQ(ranks.call({dealt(320, 10), dealt(328, 10), dealt(336, 10)}), 1);
}

TEST(PlanMemory, FindsNothingWhenRanksMovedByDifferentDistances) {
  Ranks ranks(2);
  ranks.call({dealt(0, 10), dealt(8, 10)});
  EXPECT_EQ(ranks.call({dealt(320, 10), dealt(336, 10)}), 0);
}

TEST(PlanMemory, FindsNothingWhenOneRankHasOtherPieces) {
  Ranks ranks(2);
  ranks.call({dealt(0, 10), dealt(8, 10)});
  EXPECT_EQ(ranks.call({dealt(0, 10), dealt(8, 11)}), 0);
}

TEST(PlanMemory, FindsNothingWhenARankWithBytesHasNoneNow) {
  Ranks ranks(2);
  ranks.call({dealt(0, 10), dealt(8, 10)});
  EXPECT_EQ(ranks.call({dealt(0, 10), dealt(8, 0)}), 0);
}

TEST(PlanMemory, RanksWithoutBytesHaveNoSay) {
  Ranks ranks(2);
  ranks.call({dealt(0, 10), dealt(8, 0)});
  EXPECT_EQ(ranks.call({dealt(640, 10), dealt(8, 0)}), 1);
}

TEST(PlanMemory, KeepsReadsAndWritesApart) {
  Ranks ranks(2);
  const std::vector<FileAccess> same{dealt(0, 10), dealt(8, 10)};
  EXPECT_EQ(ranks.call(same, Direction::write), 0);
  EXPECT_EQ(ranks.call(same, Direction::read), 0);
  EXPECT_EQ(ranks.call(same, Direction::write), 1);
  EXPECT_EQ(ranks.call(same, Direction::read), 2);
}

TEST(PlanMemory, ADatatypeThatIsNotDescribedIsNeverFound) {
  Ranks ranks(2);
  const std::vector<FileAccess> same{dealt(0, 10), dealt(8, 0)};
  ranks.call(same);
  Digest all = ranks.combined(same);
  ASSERT_NE(ranks.memory(0).find(all, Direction::write), nullptr);
  all.undescribed = 1;  // rank 1, which has no bytes to recall anything by
  EXPECT_EQ(ranks.memory(0).find(all, Direction::write), nullptr);
}

TEST(PlanMemory, KnowsCallsThatEachRankMakesForItself) {
  const AccessShape whole = AccessShape::of(dealt(0, 10)), other = AccessShape::of(dealt(0, 11));
  PlanMemory memory;
  EXPECT_FALSE(memory.goes_by_own_calls(whole, Direction::write, true));
  policy::OpenWay own, exchange;
  own.way.path = policy::Path::independent;
  exchange.way.path = policy::Path::two_layer;
  memory.remember({0, Direction::write, whole, {}, false, false, policy::CallTrials({own}), {}});
  memory.remember({0, Direction::read, whole, {}, false, false, policy::CallTrials({exchange}), {}});
  EXPECT_TRUE(memory.goes_by_own_calls(whole, Direction::write, true));
  EXPECT_FALSE(memory.goes_by_own_calls(whole, Direction::read, true));
  EXPECT_FALSE(memory.goes_by_own_calls(other, Direction::write, true));
  EXPECT_FALSE(memory.goes_by_own_calls(AccessShape::of(dealt(0, 0)), Direction::write, true));
}

TEST(PlanMemory, ATrialIsNotACallThatEachRankMakesForItself) {
  const AccessShape whole = AccessShape::of(dealt(0, 10));
  policy::OpenWay own, exchange;
  own.way.path = policy::Path::independent;
  exchange.way.path = policy::Path::two_layer;
  Digest all;
  all.set_access({0, whole.hash, whole.offset});
  PlanMemory memory;
  memory.remember({0, Direction::write, whole, all, false, false, policy::CallTrials({own, exchange}), {}});
  PlanMemory::Entry* entry = memory.find(all, Direction::write);
  ASSERT_NE(entry, nullptr);
  int trials = 0;
  for (int i = 0; i < 200; ++i) {
    const bool goes = memory.goes_by_own_calls(whole, Direction::write, true);
    EXPECT_EQ(goes, entry->trials.next() == entry->trials.in_force());
    EXPECT_TRUE(memory.goes_by_own_calls(whole, Direction::write, false));
    trials += goes ? 0 : 1;
    entry->trials.over(goes ? 1e-3 : 5e-3);
  }
  EXPECT_GT(trials, 0);
}

std::vector<FileAccess> pair_of(std::int64_t count) { return {dealt(0, count), dealt(8, count)}; }

TEST(PlanMemory, ForgetsTheCallThatWasNotUsedLongest) {
  Ranks ranks(2);
  EXPECT_EQ(ranks.call(pair_of(1)), 0);
  EXPECT_EQ(ranks.call(pair_of(2)), 0);
  constexpr auto most = static_cast<std::int64_t>(PlanMemory::most_entries);
  for (std::int64_t k = 3; k <= most; ++k) EXPECT_EQ(ranks.call(pair_of(k)), 0);
  EXPECT_EQ(ranks.call(pair_of(1)), 1);  // now the last used
  EXPECT_EQ(ranks.call(pair_of(most + 1)), 0);
  EXPECT_EQ(ranks.call(pair_of(1)), 1);
  EXPECT_EQ(ranks.call(pair_of(2)), 0);
}

/// With domains that differ in length, or in order, or neither.
policy::Plan long_plan(int domains, bool bounds, bool placed) {
  policy::Plan plan;
  plan.domains.count = domains;
  if (bounds)
    plan.domains.bounds =
        std::make_shared<const std::vector<std::int64_t>>(static_cast<std::size_t>(domains) + 1);
  policy::PlacedDomains seats;
  if (placed) seats.seat_of_domain.edit().resize(static_cast<std::size_t>(domains));
  plan.placed = std::make_shared<const policy::PlacedDomains>(std::move(seats));
  return plan;
}

/// Remembers a pattern of `count` pieces; its digest.
Digest remember_plan(PlanMemory& memory, std::int64_t count, const policy::Plan& plan) {
  Digest all;
  const AccessShape shape = AccessShape::of(dealt(0, count));
  all.set_access({0, shape.hash, shape.offset});
  memory.remember({0,
                   Direction::write,
                   shape,
                   all,
                   false,
                   false,
                   policy::CallTrials({policy::OpenWay{}}),
                   {{plan, nullptr}}});
  return all;
}

TEST(PlanMemory, LongPlansAreFewer) {
  const policy::Plan plan = long_plan(4096, true, true);
  PlanMemory memory;
  const Digest first = remember_plan(memory, 1, plan);
  std::int64_t kept = 0;
  while (memory.find(first, Direction::write) && kept < 100) {
    // It is now the last used: others go first.
    const Digest second = remember_plan(memory, 2 + kept++, plan);
    ASSERT_TRUE(memory.find(second, Direction::write));
    for (int i = 0; i < 50; ++i) remember_plan(memory, 1000 + 100 * kept + i, plan);
  }
  EXPECT_EQ(kept, 1) << "fifty plans of 48 KiB are more than is kept";
}

TEST(PlanMemory, FindsAHundredPatternsInTurnOfFourThousandAggregators) {
  for (const bool placed : {true, false}) {
    const int patterns = placed ? 100 : 250;
    const policy::Plan plan = long_plan(4000, false, placed);
    PlanMemory memory;
    std::vector<Digest> digests;
    for (int i = 1; i <= patterns; ++i) digests.push_back(remember_plan(memory, i, plan));
    for (const Digest& digest : digests) EXPECT_TRUE(memory.find(digest, Direction::write));
  }
}

TEST(PlanMemory, FindsPatternsThatDifferInOneRankOnly) {
  Ranks ranks(3);
  const std::vector<FileAccess> one{dealt(0, 10), dealt(8, 10), dealt(16, 10)},
      other{dealt(0, 10), dealt(8, 10), dealt(16, 11)};
  EXPECT_EQ(ranks.call(one), 0);
  EXPECT_EQ(ranks.call(other), 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ranks.call(one), 1);
    EXPECT_EQ(ranks.call(other), 2);
  }
}

TEST(PlanMemory, FindsEachOfSeventeenPatternsInTurn) {
  Ranks ranks(2);
  for (int round = 0; round < 3; ++round)
    for (std::int64_t k = 1; k <= 17; ++k) EXPECT_EQ(ranks.call(pair_of(k)), round == 0 ? 0 : k);
}

TEST(PlanMemory, RanksThatExchangePiecesOrPlacesAreOthers) {
  Ranks ranks(2);
  EXPECT_EQ(ranks.call({dealt(0, 10), dealt(8, 11)}), 0);
  EXPECT_EQ(ranks.call({dealt(0, 11), dealt(8, 10)}), 0);
  EXPECT_EQ(ranks.call({dealt(8, 10), dealt(0, 11)}), 0);
}

TEST(PlanMemory, DistancesThatAreEvenOnAverageAreNotTheSame) {
  Ranks ranks(4);
  const auto at = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return std::vector<FileAccess>{dealt(a, 10), dealt(b, 10), dealt(c, 10), dealt(d, 10)};
  };
  EXPECT_EQ(ranks.call(at(0, 8000, 16000, 32000)), 0);
  EXPECT_EQ(ranks.call(at(0, 8008, 15984, 32000)), 0);  // of no linear weight: the first and last stay
  EXPECT_EQ(ranks.call(at(0, 7992, 16008, 32000)), 0);
  EXPECT_EQ(ranks.call(at(8, 8008, 16008, 32008)), 1);
}

TEST(PlanMemory, DistancesOfHighPowersOfTwoDoNotCancelOut) {
  Ranks ranks(4);
  constexpr std::int64_t far = std::int64_t{1} << 50;
  const std::vector<FileAccess> first{dealt(0, 10), dealt(far, 10), dealt(2 * far, 10), dealt(3 * far, 10)};
  EXPECT_EQ(ranks.call(first), 0);
  EXPECT_EQ(ranks.call({dealt(0, 10), dealt(2 * far, 10), dealt(far, 10), dealt(3 * far, 10)}), 0);
  EXPECT_EQ(ranks.call({dealt(8, 10), dealt(far + 8, 10), dealt(2 * far + 8, 10), dealt(3 * far + 8, 10)}),
            1);
}

}  // namespace
}  // namespace collio::engine
