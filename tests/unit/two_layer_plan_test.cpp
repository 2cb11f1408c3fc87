// Plans of calls that go through the shared memory of a node: when they do, how slots are laid out, what
// masks there are.
#include <gtest/gtest.h>

#include "byte_list.hpp"
#include "policy/aggregators/local_aggregators.hpp"
#include "policy/plan/plan.hpp"

namespace collio::policy {
namespace {

using test::Dice;

constexpr std::int64_t page = 4096;
constexpr int most_slots_of_a_half = 32;

machine::Machine one_node(int ranks, int cores) { return {{{"node", ranks, cores}}, {}}; }

/// A call of `ranks` ranks with small pieces, dense in [0, bytes).
Digest dense(int ranks, std::int64_t bytes) {
  Digest d;
  d.set_call(1);
  d.low = 0;
  d.high = d.bytes = bytes;
  d.pieces = bytes / 32;
  d.most_pieces = d.pieces / ranks;
  d.most_bytes = bytes / ranks;
  d.active_ranks = ranks;
  d.offset_bits = 32;
  return d;
}

/// The same, with only `bytes` of the span accessed.
Digest sparse(std::int64_t span, std::int64_t bytes) {
  Digest d = dense(8, bytes);
  d.high = span;
  return d;
}

Plan plan_of(const Digest& digest, const Hints& hints = {}, Direction direction = Direction::write) {
  return make_plan({direction, digest, 2}, one_node(8, 2), hints);
}

Hints hints_of(const std::map<std::string, std::string>& pairs) { return parse_hints(pairs); }

const Digest ordinary = dense(8, 16 << 20);

TEST(TwoLayerPlan, OneRankAloneHasNoUseForIt) {
  const Plan plan = make_plan({Direction::write, dense(1, 16 << 20), 1}, one_node(1, 2),
                              hints_of({{"collio_path", "two_layer"}}));
  EXPECT_EQ(plan.path, Path::two_phase);
  EXPECT_EQ(plan.reason.one_layer, OneLayer::one_rank);
}

TEST(TwoLayerPlan, BetweenNodesPiecesTravelWithMasks) {
  const machine::Machine two{{{"a", 7, 2}, {"b", 1, 2}}, {}};
  for (const Direction direction : {Direction::write, Direction::read}) {
    const Plan plan = make_plan({direction, ordinary, 2}, two, {});
    EXPECT_EQ(plan.path, Path::two_layer) << reason_text(plan);
    EXPECT_TRUE(plan.several_nodes);
    EXPECT_TRUE(plan.masks);
  }
  EXPECT_FALSE(plan_of(ordinary).several_nodes);
}

TEST(TwoLayerPlan, NodesOfOneRankKeepToOneLayerUnlessTheyAreGrouped) {
  const machine::Machine four{{{"a", 1, 2}, {"b", 1, 2}, {"c", 1, 2}, {"d", 1, 2}}, {}};
  const Plan plan = make_plan({Direction::read, ordinary, 2}, four, {});
  EXPECT_EQ(plan.path, Path::two_phase);
  EXPECT_EQ(plan.reason.one_layer, OneLayer::all_aggregate);
  EXPECT_EQ(make_plan({Direction::read, ordinary, 2}, four, hints_of({{"collio_nodes_per_group", "2"}})).path,
            Path::two_layer);
}

TEST(TwoLayerPlan, BetweenNodesManyRanksGoInTwoLayersManyPiecesInOne) {
  Digest many = dense(32, 256 << 20);
  many.pieces *= 8;
  const Digest few = dense(4096, 256 << 20);
  const machine::Machine eight{std::vector<machine::Node>(8, {"n", 4, 2}), {}};
  const Plan pieces = make_plan({Direction::write, many, 8}, eight, {});
  EXPECT_EQ(pieces.path, Path::two_phase);
  EXPECT_EQ(pieces.reason.one_layer, OneLayer::slower);
  EXPECT_GT(pieces.estimate_two_layer_s, pieces.estimate_two_phase_s);
  EXPECT_EQ(make_plan({Direction::write, many, 8}, eight, hints_of({{"nc_num_aggrs_per_node", "1"}})).path,
            Path::two_layer);
  const machine::Machine large{std::vector<machine::Node>(64, {"n", 64, 64}), {}};
  const Plan ranks = make_plan({Direction::write, few, 64}, large, {});
  EXPECT_EQ(ranks.path, Path::two_layer) << reason_text(ranks);
}

TEST(TwoLayerPlan, ANodeHasNoMoreLocalAggregatorsThanSlots) {
  const machine::Machine large{{{"a", 64, 64}, {"b", 64, 64}}, {}};
  const auto plan_with = [&](const char* teams) {
    return make_plan({Direction::write, dense(128, 64 << 20), 2}, large,
                     hints_of({{"nc_num_aggrs_per_node", teams}}));
  };
  EXPECT_EQ(plan_with("32").path, Path::two_layer);
  EXPECT_EQ(plan_with("33").path, Path::two_phase);
  EXPECT_EQ(plan_with("33").reason.one_layer, OneLayer::many_teams);
}

TEST(TwoLayerPlan, SparseCallsKeepToDescribedPieces) {
  const Hints hints = hints_of({{"collio_path", "two_layer"}});
  const std::int64_t span = 64 << 20;
  for (const auto& [direction, sparsest] : {std::pair{Direction::write, 64}, std::pair{Direction::read, 4}}) {
    EXPECT_EQ(plan_of(sparse(span, span / sparsest), hints, direction).path, Path::two_layer);
    const Plan plan = plan_of(sparse(span, span / sparsest - 1), hints, direction);
    EXPECT_EQ(plan.path, Path::two_phase);
    EXPECT_EQ(plan.reason.one_layer, OneLayer::sparse);
    EXPECT_EQ(plan.reason.sparsest, sparsest);
  }
}

TEST(TwoLayerPlan, AsManyLocalAggregatorsAsRanksMeansOneLayer) {
  for (const char* key : {"collio_local_aggregators", "nc_num_aggrs_per_node"}) {
    for (const char* path : {"auto", "two_layer"}) {
      EXPECT_EQ(plan_of(ordinary, hints_of({{key, "7"}, {"collio_path", path}})).path, Path::two_layer)
          << key;
      for (const char* many : {"8", "9", "1000000"}) {
        const Plan plan = plan_of(ordinary, hints_of({{key, many}, {"collio_path", path}}));
        EXPECT_EQ(plan.path, Path::two_phase) << key << "=" << many;
        EXPECT_EQ(plan.reason.one_layer, OneLayer::all_aggregate);
      }
    }
  }
}

TEST(TwoLayerPlan, WithoutSharedMemoryThereIsOneLayerAndTheReasonSaysSo) {
  for (const char* path : {"auto", "two_layer"}) {
    PlanRequest request{Direction::write, ordinary, 2};
    request.lacking.node_memory = true;
    const Plan plan = make_plan(request, one_node(8, 2), hints_of({{"collio_path", path}}));
    EXPECT_EQ(plan.path, Path::two_phase);
    EXPECT_EQ(plan.reason.one_layer, OneLayer::no_node_memory);
    EXPECT_EQ(plan.reason.lacking, Lack::node_memory);
  }
}

TEST(TwoLayerPlan, OtherPathsSaveTheTroubleOfReasons) {
  EXPECT_TRUE(reason_text(plan_of(ordinary, hints_of({{"collio_path", "two_phase"}})))
                  .starts_with("asked for by hint; rounds: none"));
  EXPECT_EQ(reason_text(plan_of(ordinary, hints_of({{"collio_path", "two_layer"}}))), "asked for by hint");
  EXPECT_EQ(plan_of(ordinary, hints_of({{"collio_path", "independent"}})).path, Path::independent);
}

TEST(TwoLayerPlan, MasksAreKeptWhereThereMayBeHoles) {
  EXPECT_FALSE(plan_of(ordinary).masks);
  EXPECT_TRUE(plan_of(sparse(16 << 20, (16 << 20) - 32)).masks);
  Digest overlapping = ordinary;
  overlapping.bytes += 32;
  EXPECT_TRUE(plan_of(overlapping).masks);
  PlanRequest again{Direction::write, ordinary, 2};
  again.with_masks = true;
  EXPECT_TRUE(make_plan(again, one_node(8, 2), {}).masks) << "the second time";
  EXPECT_FALSE(plan_of(sparse(16 << 20, 8 << 20), {}, Direction::read).masks) << "reads";
}

TEST(TwoLayerPlan, FewServersWhereAggregatorsAreGivenOrStorageIsShared) {
  EXPECT_FALSE(plan_of(ordinary).few_servers);
  EXPECT_TRUE(plan_of(ordinary, hints_of({{"cb_nodes", "1"}})).few_servers);
  EXPECT_TRUE(plan_of(ordinary, hints_of({{"cb_config_list", "*:1"}})).few_servers);
  machine::Machine shared = one_node(8, 2);
  shared.storage.aggregators_per_core = 0;
  EXPECT_TRUE(make_plan({Direction::write, ordinary, 1}, shared, {}).few_servers);
}

/// Hints with windows and buffers of any size, often tiny or odd.
Hints random_hints(Dice& dice) {
  const auto size = [&](std::int64_t most) {
    const std::int64_t about = std::int64_t{1} << dice.pick(0, most);
    return std::to_string(
        std::clamp<std::int64_t>(about + (dice.chance(2) ? 0 : dice.pick(-9, 9)), 1, 1 << 30));
  };
  std::map<std::string, std::string> pairs{{"collio_path", "two_layer"}};
  if (dice.chance(2)) pairs["collio_window"] = size(30);
  if (dice.chance(2)) pairs["cb_buffer_size"] = size(30);
  if (dice.chance(3)) pairs["striping_unit"] = size(24);
  if (dice.chance(3)) pairs["cb_nodes"] = std::to_string(dice.pick(1, 9));
  if (dice.chance(3)) pairs["nc_num_aggrs_per_node"] = std::to_string(dice.pick(1, most_slots_of_a_half));
  return hints_of(pairs);
}

/// A dense call, or one with holes, anywhere in a file, whose piece ends are multiples of a power of two.
Digest random_digest(Dice& dice, int ranks) {
  const std::int64_t unit = std::int64_t{1} << dice.pick(0, 12);
  Digest d = dense(ranks, unit * dice.pick(1, 1 << dice.pick(1, 14)));
  d.low = unit * dice.pick(0, 1 << 20);
  d.high = d.low + d.bytes + (dice.chance(2) ? 0 : unit * dice.pick(0, 1000));
  d.bytes = std::max(d.bytes, d.span() / 4);
  d.offset_bits = d.low | d.high | unit;
  if (dice.chance(2)) d.through_slots = std::int64_t{1} << dice.pick(0, 36);
  return d;
}

/// Calls each(request, machine, hints, plan) for many calls that go through two layers.
template <class Each>
void for_many_plans(Each&& each) {
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    Dice dice(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int ranks = static_cast<int>(dice.pick(2, 64));
    machine::Machine machine = one_node(ranks, static_cast<int>(dice.pick(1, 64)));
    if (dice.chance(2)) machine.nodes.edit().push_back({"other", static_cast<int>(dice.pick(1, ranks)), 2});
    if (dice.chance(3)) machine.storage.node_buffer_bytes = std::int64_t{1} << dice.pick(12, 26);
    if (dice.chance(3)) machine.storage.block_bytes = std::int64_t{1} << dice.pick(12, 20);
    const Hints hints = random_hints(dice);
    const PlanRequest request{dice.chance(2) ? Direction::write : Direction::read, random_digest(dice, ranks),
                              static_cast<int>(dice.pick(1, ranks))};
    const Plan plan = make_plan(request, machine, hints);
    if (plan.reason.one_layer == OneLayer::all_aggregate) continue;
    ASSERT_EQ(plan.path, Path::two_layer) << reason_text(plan);
    each(request, machine, hints, plan);
  }
}

TEST(TwoLayerPlan, SlotsFitTheMemoryOfTheNode) {
  for_many_plans(
      [](const PlanRequest&, const machine::Machine& machine, const Hints& hints, const Plan& plan) {
        const std::int64_t window = plan.domains.window_bytes, memory = node_memory_bytes(machine, hints);
        ASSERT_GE(plan.node_slots, 2);
        ASSERT_LE(plan.node_slots, most_node_slots);
        ASSERT_GE(window, 1);
        ASSERT_LE(window, hints.buffer_bytes);
        if (hints.window_bytes > 0) {
          ASSERT_LE(window, hints.window_bytes);
        }
        ASSERT_LE(plan.node_slots * ((window + page - 1) / page * page), memory) << "windows of " << window;
        ASSERT_EQ(memory % page, 0);
      });
}

TEST(TwoLayerPlan, EveryTeamOfANodeHasASlotInEachHalf) {
  for_many_plans(
      [](const PlanRequest&, const machine::Machine& machine, const Hints& hints, const Plan& plan) {
        for (const Teams& teams : make_layers(machine, hints).teams)
          ASSERT_GE(plan.node_slots, 2 * teams.count);
      });
}

TEST(TwoLayerPlan, UnitsOfTheMaskDivideAllThatThereIs) {
  for_many_plans([](const PlanRequest& request, const machine::Machine&, const Hints&, const Plan& plan) {
    ASSERT_GE(plan.mask_shift, 0);
    const std::int64_t unit = std::int64_t{1} << plan.mask_shift;
    const Digest& d = request.digest;
    ASSERT_EQ(d.offset_bits % unit, 0);
    const Domains& cut = plan.domains;
    for (int a = 0; a < std::min(cut.count, 5); ++a) {
      for (std::int64_t round = 0; round < std::min<std::int64_t>(cut.rounds(a), 5); ++round) {
        const core::Extent window = cut.window(a, round);
        ASSERT_EQ(std::max(window.offset, plan.span.offset) % unit, 0);
        ASSERT_EQ(std::min(window.end(), plan.span.end()) % unit, 0);
      }
    }
  });
}

TEST(TwoLayerPlan, UnitsOfTheMaskAreAsLongAsPiecesAllow) {
  EXPECT_EQ(plan_of(sparse(16 << 20, 8 << 20)).mask_shift, 5);
  Digest odd = sparse(16 << 20, 8 << 20);
  odd.offset_bits |= 1;
  EXPECT_EQ(plan_of(odd).mask_shift, 0);
}

TEST(TwoLayerPlan, WindowsCoverTheSpanOnce) {
  for_many_plans([](const PlanRequest& request, const machine::Machine&, const Hints&, const Plan& plan) {
    const Domains& cut = plan.domains;
    ASSERT_LE(cut.low, request.digest.low);
    ASSERT_EQ(cut.high, request.digest.high);
    ASSERT_EQ(plan.span, (core::Extent{request.digest.low, request.digest.span()}));
    for (int a = 0; a < cut.count; ++a)
      ASSERT_LE(cut.rounds(a), cut.rounds(0)) << "domain 0 has the most windows";
  });
}

TEST(TwoLayerPlan, SmallBuffersStillHaveTwoSlots) {
  for (const char* size : {"1", "31", "4095", "4096", "4097", "65536"}) {
    const Hints hints = hints_of({{"cb_buffer_size", size}, {"collio_path", "two_layer"}});
    const Plan plan = plan_of(ordinary, hints);
    EXPECT_EQ(plan.path, Path::two_layer);
    EXPECT_LE(plan.domains.window_bytes, std::stoll(size));
    EXPECT_LE(2 * page, node_memory_bytes(one_node(8, 2), hints));
    EXPECT_GE(plan.node_slots, 2);
  }
}

TEST(TwoLayerPlan, MemoryStaysWithinTwoBuffersOfAnAggregator) {
  const machine::Machine machine = one_node(8, 2);
  EXPECT_EQ(node_memory_bytes(machine, {}), 4 << 20) << "2 MiB a core, 4 MiB at least";
  EXPECT_EQ(node_memory_bytes(one_node(64, 64), {}), 32 << 20) << "32 MiB at most, and two buffers";
  EXPECT_EQ(node_memory_bytes(machine, hints_of({{"cb_buffer_size", "65536"}})), 2 * 65536);
  EXPECT_EQ(node_memory_bytes(machine, hints_of({{"collio_window", "4194304"}})), 8 << 20)
      << "two windows at least";
}

Plan plan_after(std::int64_t bytes_before, Digest digest, const Hints& hints = {},
                const machine::Machine& machine = one_node(8, 2)) {
  digest.through_slots = bytes_before;
  return make_plan({Direction::write, digest, 2}, machine, hints);
}

std::int64_t memory_of(const Plan& plan) { return plan.node_slots * plan.domains.window_bytes; }

TEST(TwoLayerPlan, RanksThatMovedLittleBeginWithAPartOfTheMemory) {
  const Digest small = dense(8, 64 << 10);
  EXPECT_EQ(memory_of(plan_after(0, small)), 1 << 20);
  EXPECT_EQ(memory_of(plan_after(23 << 20, small)), 1 << 20);
  EXPECT_EQ(memory_of(plan_after(24 << 20, small)), 3 << 19) << "half of what each rank moved";
  EXPECT_EQ(memory_of(plan_after(24 << 20, dense(8, 8 << 20))), 2 << 20) << "this call's bytes count";
  EXPECT_FALSE(plan_after(63 << 20, small).whole_memory);
  EXPECT_EQ(memory_of(plan_after(64 << 20, small)), 4 << 20);
  EXPECT_TRUE(plan_after(64 << 20, small).whole_memory);
  EXPECT_TRUE(plan_after(0, dense(8, 16 << 20)).whole_memory) << "a call of many bytes";
  EXPECT_TRUE(plan_of(small).whole_memory) << "of which no rank said how much it moved";
}

TEST(TwoLayerPlan, MemoryIsWholeAtOnceWhereAPartWouldNotDo) {
  const Digest small = dense(8, 64 << 10);
  machine::Machine two = one_node(8, 2), far = one_node(8, 2);
  two.nodes.edit().push_back({"other", 8, 2});
  far.storage.node_buffer_bytes = 64 << 20;
  EXPECT_TRUE(plan_after(0, small, {}, two).whole_memory);
  EXPECT_TRUE(plan_after(0, small, {}, far).whole_memory) << "long windows are for its storage";
  EXPECT_TRUE(plan_after(0, small, hints_of({{"collio_window", "65536"}})).whole_memory);
  EXPECT_TRUE(plan_after(0, small, hints_of({{"cb_buffer_size", "1048576"}})).whole_memory) << "little";
  EXPECT_TRUE(plan_after(0, small, hints_of({{"collio_domains", "balanced"}})).whole_memory)
      << "its cut is made once";
}

}  // namespace
}  // namespace collio::policy
