// What a file's layout makes of a call: where domains begin, who writes, and what a new file is asked for.
#include "policy/domains/by_layout.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "policy/aggregators/aggregators.hpp"
#include "policy/plan/plan.hpp"
#include "storage/storage.hpp"

namespace collio::policy {
namespace {

constexpr std::int64_t mib = 1 << 20;

struct Files {
  int nodes = 4;
  std::int64_t unit_bytes = mib;
  int targets = 4;
};

/// Nodes of 16 ranks and cores, a file on a shared file system.
machine::Machine machine_with(const Files& file) {
  machine::Machine machine;
  machine.nodes.edit().assign(static_cast<std::size_t>(file.nodes), {.name = "n", .ranks = 16, .cores = 16});
  machine.storage.aggregators_per_core = 0;
  machine.storage.block_bytes = mib;
  machine.storage.window_bytes = 16 * mib;
  machine::Layout layout{file.unit_bytes, file.targets, {}, "a test"};
  machine.storage = with_layout(machine.storage, layout);
  return machine;
}

CutChoice choice(const Files& file, const CutQuestion& question,
                 const std::map<std::string, std::string>& hints = {}) {
  return choose_cut(question, machine_with(file), parse_hints(hints));
}

constexpr CutQuestion long_write{true, {0, 1024 * mib}, 8, 64};

TEST(ByLayout, WritesOfLongStripesDealThem) {
  const CutChoice c = choice({}, long_write);
  EXPECT_EQ(c.why, WhyCut::dealt);
  EXPECT_EQ(c.cut, Cut::group_cyclic);
  EXPECT_EQ(c.aggregators, 8);
  EXPECT_EQ(c.targets, 4);
  EXPECT_EQ(c.alignment_bytes, mib);
}

TEST(ByLayout, OtherCallsBeginDomainsAtStripes) {
  CutQuestion read = long_write;
  read.write = false;
  for (const auto& [c, why] : std::vector<std::pair<CutChoice, WhyCut>>{
           {choice({}, read), WhyCut::aligned},
           {choice({.nodes = 1}, long_write), WhyCut::aligned},
           {choice({.targets = 0}, long_write), WhyCut::aligned},
           {choice({.targets = 1}, long_write), WhyCut::aligned},  // one target has every stripe
           {choice({.unit_bytes = 65536}, long_write), WhyCut::short_stripes},
           {choice({.targets = 7919}, long_write), WhyCut::uneven},
           {choice({}, {true, {0, 5 * mib}, 8, 64}), WhyCut::few_stripes}}) {
    EXPECT_EQ(c.why, why);
    EXPECT_EQ(c.cut, Cut::even);
    EXPECT_EQ(c.aggregators, 8);
  }
  EXPECT_EQ(choice({.unit_bytes = 65536}, long_write).alignment_bytes, 65536);
  EXPECT_EQ(choice({.unit_bytes = 3 * mib}, read).alignment_bytes, 3 * mib);
}

TEST(ByLayout, StripesLongerThanACallAreNoBoundaries) {
  const CutChoice c = choice({.unit_bytes = 512 * mib}, {true, {0, 100 * mib}, 8, 64});
  EXPECT_EQ(c.why, WhyCut::long_stripes);
  EXPECT_EQ(c.alignment_bytes, mib);
  const CutQuestion short_write{true, {0, 40 * mib}, 8, 64};
  const CutChoice blocks = choice({.unit_bytes = 16 * mib}, short_write);  // stripes that are blocks as well
  EXPECT_EQ(blocks.why, WhyCut::long_stripes);
  EXPECT_EQ(blocks.alignment_bytes, mib);
  const CutChoice given = choice({.unit_bytes = 16 * mib}, short_write, {{"striping_unit", "16777216"}});
  EXPECT_EQ(given.alignment_bytes, 16 * mib);
}

TEST(ByLayout, AnyLengthOfACallHasItsStripesCounted) {
  constexpr auto longest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t unit : {std::int64_t{1}, mib, 1024 * mib})
    EXPECT_NE(choice({.unit_bytes = unit}, {true, {0, longest}, 8, 64}).why, WhyCut::long_stripes) << unit;
}

TEST(ByLayout, AnotherLayoutReplacesTheFirst) {
  machine::StorageModel storage = with_layout(machine_with({}).storage, {16 * mib, 2, {}, "a test"});
  EXPECT_EQ(storage.block_bytes, 16 * mib);
  EXPECT_EQ(storage.block_without_layout(), mib);
  storage = with_layout(std::move(storage), {});
  EXPECT_EQ(storage.block_bytes, mib);
  EXPECT_EQ(storage.block_without_layout(), mib);
}

TEST(ByLayout, HintsWin) {
  EXPECT_EQ(choice({}, long_write, {{"collio_domains", "even"}}).why, WhyCut::hint);
  EXPECT_EQ(choice({}, long_write, {{"collio_domains", "even"}}).cut, Cut::even);
  const CutChoice unit = choice({}, long_write, {{"striping_unit", "4096"}});
  EXPECT_EQ(unit.why, WhyCut::hint);
  EXPECT_EQ(unit.alignment_bytes, 4096);
  EXPECT_EQ(choice({}, long_write, {{"striping_unit", "1048576"}}).why, WhyCut::dealt);  // as the file has it
  const CutChoice given = choice({.targets = 3}, {true, {0, 1024 * mib}, 7, 7}, {{"cb_nodes", "7"}});
  EXPECT_EQ(given.aggregators, 7);
  EXPECT_EQ(given.why, WhyCut::given_number);
  EXPECT_EQ(given.cut, Cut::even);
  EXPECT_EQ(choice({.targets = 3}, {true, {0, 1024 * mib}, 6, 64}, {{"cb_nodes", "6"}}).why, WhyCut::dealt);
  EXPECT_EQ(choice({.targets = 3}, {true, {0, 1024 * mib}, 7, 64}).aggregators, 9);
}

TEST(ByLayout, FilesHaveAggregatorsThatFitUnlessHintsGiveTheirNumber) {
  const auto count = [](const std::map<std::string, std::string>& given, int targets) {
    const machine::Machine machine = machine_with({.targets = targets});
    return static_cast<int>(
        choose_aggregators(machine, fitted_to_layout(machine, parse_hints(given))).size());
  };
  const int usual = count({{"collio_layout", "disable"}}, 4);
  EXPECT_EQ(count({}, usual + 1), usual + 1);
  EXPECT_EQ(count({}, 1), usual);
  EXPECT_EQ(count({{"cb_nodes", "7"}}, usual + 1), 7);
  EXPECT_EQ(count({{"collio_layout", "disable"}}, usual + 1), usual);
}

TEST(ByLayout, WithoutALayoutAllIsAsBefore) {
  machine::Machine machine = machine_with({});
  machine.storage.layout = {};
  const CutChoice c = choose_cut(long_write, machine, parse_hints({}));
  EXPECT_EQ(c.why, WhyCut::unknown_layout);
  EXPECT_EQ(c.cut, Cut::even);
  EXPECT_EQ(c.alignment_bytes, mib);
  EXPECT_EQ(choice({}, long_write, {{"collio_layout", "disable"}}).why, WhyCut::unknown_layout);
}

TEST(ByLayout, FittingNumbersAreMultiplesOrDivisorsNearby) {
  EXPECT_EQ(fitting_aggregators({4, 4, 64}), 4);
  EXPECT_EQ(fitting_aggregators({6, 4, 64}), 6);
  EXPECT_EQ(fitting_aggregators({6, 4, 4}), 3);
  EXPECT_EQ(fitting_aggregators({5, 4, 64}), 5);
  EXPECT_EQ(fitting_aggregators({5, 4, 4}), 0);
  EXPECT_EQ(fitting_aggregators({64, 8, 128}), 8);
  EXPECT_EQ(fitting_aggregators({1, 7, 7}), 7);
  EXPECT_EQ(fitting_aggregators({4, 1000, 4096}), 1000);
  EXPECT_EQ(fitting_aggregators({7919, 8, 64}), 0);
  for (int targets = 1; targets <= 40; ++targets)
    for (int wanted = 1; wanted <= 40; ++wanted) {
      const int count = fitting_aggregators({targets, wanted, 60});
      if (count == 0) continue;
      EXPECT_TRUE(count % targets == 0 || targets % count == 0);
      EXPECT_TRUE(2 * count >= wanted && count <= 2 * wanted);
    }
}

/// 256 MiB in pieces, for 8 aggregators.
PlanRequest long_call(Direction direction) {
  PlanRequest request;
  request.direction = direction;
  request.digest = {};
  request.digest.bytes = 256 * mib;
  request.digest.low = 3 * mib;
  request.digest.high = 259 * mib;
  request.digest.pieces = 1 << 20;
  request.digest.active_ranks = 64;
  request.digest.offset_bits = 256;
  request.aggregators = 8;
  return request;
}

/// Every stripe has one aggregator, and windows are whole stripes, on the path that plans make of it.
TEST(ByLayout, PlansWriteWholeStripes) {
  const machine::Machine machine = machine_with({});
  const Plan plan =
      make_plan(long_call(Direction::write), machine, parse_hints({{"collio_path", "two_phase"}}));
  const Domains& d = plan.domains;
  ASSERT_TRUE(d.dealt());
  EXPECT_EQ(d.count, 8);
  for (std::int64_t stripe = 3; stripe < 259; ++stripe)
    EXPECT_EQ(d.owner(stripe * mib), d.owner(stripe * mib + mib - 1)) << stripe;
  EXPECT_EQ(d.window_bytes, mib);
  EXPECT_NE(reason_text(plan).find("stripes of 1048576 B over 4 targets are dealt to 8 aggregators"),
            std::string::npos)
      << reason_text(plan);
}

TEST(ByLayout, PlansSayWhereDomainsOfAReadBegin) {
  const auto reason = [](int targets) {
    const machine::Machine machine = machine_with({.targets = targets});
    return reason_text(
        make_plan(long_call(Direction::read), machine, parse_hints({{"collio_path", "two_phase"}})));
  };
  EXPECT_NE(reason(16).find("; each domain is 1 stripe longer, to begin on more targets"), std::string::npos)
      << reason(16);
  EXPECT_EQ(reason(1).find("longer"), std::string::npos) << reason(1);
}

TEST(ByLayout, NewFilesAreAskedForWhatHintsSay) {
  const auto wish = [](const std::map<std::string, std::string>& hints, int nodes, bool folder) {
    return wish_for(parse_hints(hints), nodes, folder);
  };
  EXPECT_FALSE(wish({}, 100, false).any());
  EXPECT_EQ(wish({{"striping_unit", "65536"}, {"striping_factor", "3"}}, 1, true).unit_bytes, 65536);
  EXPECT_EQ(wish({{"striping_factor", "3"}}, 1, true).count, 3);
  EXPECT_FALSE(wish({{"striping_factor", "-1"}}, 8, false).any());
  EXPECT_EQ(wish({{"collio_striping", "auto"}}, 8, false).count, 8);
  EXPECT_EQ(wish({{"collio_striping", "auto"}}, 1000, false).count, 16);
  EXPECT_FALSE(wish({{"collio_striping", "auto"}}, 8, true).any());  // the folder's own
  EXPECT_FALSE(wish({{"collio_striping", "auto"}}, 1, false).any());
  EXPECT_EQ(wish({{"collio_striping", "auto"}, {"striping_factor", "3"}}, 8, false).count, 3);
}

}  // namespace
}  // namespace collio::policy
