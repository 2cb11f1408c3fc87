// The order of windows, and that nodes which follow it never wait for each other in a circle.
#include "flow/window_order.hpp"

#include <gtest/gtest.h>

#include <set>
#include <unordered_set>

#include "byte_list.hpp"
#include "flow_world.hpp"
#include "policy/domains/domains.hpp"

namespace collio::flow {
namespace {

using test::Dice;
using test::FlowJob;
using test::FlowWorld;

constexpr std::int64_t window = 4096;

policy::Domains domains_of_nodes(int count, std::int64_t windows) {
  policy::Domains d;
  d.domain_bytes = windows * window;
  d.window_bytes = window;
  d.count = count;
  d.high = count * d.domain_bytes;
  return d;
}

/// Every node serves `per_node` domains, in order of nodes, with `rounds` windows each.
FlowJob job_of(int nodes, int ranks, int per_node, std::int64_t rounds, int slots) {
  FlowJob job;
  for (int n = 0; n < nodes; ++n) {
    job.layers.teams.edit().push_back({ranks, 1});
    for (int d = 0; d < per_node; ++d) job.homes.push_back(n), job.servers.push_back(d % ranks);
  }
  job.domains = domains_of_nodes(nodes * per_node, rounds);
  job.slots = slots;
  return job;
}

std::vector<Batch> batches_of(const FlowJob& job, int node, Course course) {
  const test::FlowTally tally(job, node);
  std::vector<Batch> all;
  WindowOrder order(job.order_of(node, tally.counts()));
  for (Batch batch; order.next(course, batch);) all.push_back(batch);
  return all;
}

std::vector<int> domains_in(const Batch& batch) {
  std::vector<int> domains;
  for (const auto& w : batch.windows) domains.push_back(w.domain);
  return domains;
}

TEST(WindowOrder, OneNodeTakesTwoGroupsInTurn) {
  const FlowJob job = job_of(1, 4, 3, 4, 4);
  const std::vector<Batch> all = batches_of(job, 0, Course::home);
  ASSERT_EQ(all.size(), 6U);
  EXPECT_TRUE(batches_of(job, 0, Course::transit).empty());
  EXPECT_EQ(all[0].group, 0);
  EXPECT_EQ(all[1].group, 1);
  EXPECT_EQ(all[1].windows[0].domain, 2);
  EXPECT_EQ(all[1].windows[1].round, 1);
  EXPECT_EQ(all[1].windows[1].slot, 3);
}

TEST(WindowOrder, StepsHaveAboutAsManyWindowsEach) {
  std::vector<std::size_t> windows;
  for (const Batch& batch : batches_of(job_of(2, 2, 5, 2, 16), 0, Course::home))
    windows.push_back(batch.windows.size());
  EXPECT_EQ(windows, (std::vector<std::size_t>{3, 2, 3, 2}));
}

TEST(WindowOrder, HomeWindowsTakeHalfOfTheSlots) {
  const FlowJob job = job_of(2, 2, 2, 4, 16);
  const test::FlowTally tally(job, 0);
  const WindowOrder order(job.order_of(0, tally.counts()));
  EXPECT_EQ(order.groups().home_slots * order.groups().home_groups, 8);
  EXPECT_EQ(order.transit_room(), 8);
}

TEST(WindowOrder, TransitBeginsWithTheNextNode) {
  const FlowJob job = job_of(4, 2, 1, 2, 16);
  const std::vector<Batch> home = batches_of(job, 1, Course::home);
  ASSERT_EQ(home.size(), 2U);
  EXPECT_EQ(domains_in(home[0]), (std::vector{1}));
  const std::vector<Batch> transit = batches_of(job, 1, Course::transit);
  ASSERT_EQ(transit.size(), 2U);
  EXPECT_EQ(domains_in(transit[0]), (std::vector{2, 3, 0}));
  EXPECT_EQ(home[1].step, transit[1].step);
}

TEST(WindowOrder, TransitLeavesOutWindowsInWhichTheNodeHasNoPart) {
  FlowJob job = job_of(4, 2, 1, 5, 16);
  job.touches = [](int, int, int domain, std::int64_t round) { return domain == 3 && round == 2; };
  const std::vector<Batch> transit = batches_of(job, 1, Course::transit);
  ASSERT_EQ(transit.size(), 2U);
  EXPECT_EQ(domains_in(transit[0]), (std::vector{3}));  // the first message tells of the next
  EXPECT_EQ(domains_in(transit[1]), (std::vector{3}));
  EXPECT_EQ(transit[1].windows[0].round, 2);
  EXPECT_EQ(batches_of(job, 1, Course::home).size(), 5U);
}

TEST(WindowOrder, EveryWindowIsPassedOnce) {
  Dice dice(7);
  for (int n = 0; n < 300; ++n) {
    FlowJob job = job_of(static_cast<int>(dice.pick(1, 5)), 2, static_cast<int>(dice.pick(1, 4)),
                         dice.pick(1, 5), 2 * static_cast<int>(dice.pick(2, 9)));
    job.domains.high -= dice.pick(0, window * 2);  // the last domain is shorter
    for (int& home : job.homes) home = static_cast<int>(dice.pick(0, job.nodes() - 1));
    std::set<std::pair<int, std::int64_t>> seen;
    for (const Course course : {Course::home, Course::transit})
      for (const Batch& batch : batches_of(job, 0, course))
        for (const auto& w : batch.windows) EXPECT_TRUE(seen.insert({w.domain, w.round}).second);
    std::int64_t expected = 0;
    for (int d = 0; d < job.domains.count; ++d) expected += job.domains.rounds(d);
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), expected);
  }
}

void expect_over(const FlowJob& job, const FlowWorld& world, const std::string& what) {
  EXPECT_EQ(world.broken(), "") << what;
  ASSERT_TRUE(world.over()) << what << ": nothing moves any more";
  for (int d = 0; d < job.domains.count; ++d)
    for (std::int64_t r = 0; r < job.domains.rounds(d); ++r) {
      const auto found = world.written().find({d, r});
      ASSERT_TRUE(found != world.written().end() && found->second == 1)
          << what << ": window " << r << " of domain " << d;
    }
}

/// Takes possible steps until there are none. Some kinds of steps, or some nodes, may be slow: they come to
/// pass when nothing else does, mostly.
FlowWorld run_at_random(const FlowJob& job, Dice& dice) {
  FlowWorld world(job);
  const auto slow_kind = static_cast<FlowWorld::Step::Kind>(dice.pick(0, 3));  // 3: none
  const int slow_node = static_cast<int>(dice.pick(0, job.nodes()));
  for (std::vector<FlowWorld::Step> steps = world.possible(); !steps.empty(); steps = world.possible()) {
    std::vector<FlowWorld::Step> fast;
    std::ranges::copy_if(steps, std::back_inserter(fast),
                         [&](const auto& s) { return s.kind != slow_kind && s.node != slow_node; });
    const auto& from = fast.empty() || dice.chance(20) ? steps : fast;
    world.take(from[static_cast<std::size_t>(dice.pick(0, static_cast<std::int64_t>(from.size()) - 1))]);
  }
  return world;
}

/// From 0 to `below` - 1, the same for the same seed. A Dice for each window would take most of the test's
/// time.
std::uint32_t drawn(std::uint32_t seed, std::uint32_t below) {
  seed = (seed ^ seed >> 16) * 0x85ebca6bU;
  seed = (seed ^ seed >> 13) * 0xc2b2ae35U;
  return (seed ^ seed >> 16) % below;
}

/// Windows take several slots, and some of those in transit fewer.
void pack(FlowJob& job, Dice& dice) {
  job.window_slots = static_cast<int>(dice.pick(2, 8));
  job.slots *= job.window_slots;
  job.slots_of = [most = job.window_slots, seed = static_cast<std::uint32_t>(dice.pick(0, 999))](
                     int node, int domain, std::int64_t round) {
    const std::uint32_t own = seed + 7U * static_cast<std::uint32_t>(node) +
                              1009U * static_cast<std::uint32_t>(domain) +
                              10007U * static_cast<std::uint32_t>(round);
    return drawn(own, 4) == 0
               ? most
               : 1 + static_cast<int>(drawn(own + 1, static_cast<std::uint32_t>(std::max(1, most / 4))));
  };
}

FlowJob random_job(Dice& dice) {
  const int ranks = static_cast<int>(dice.pick(1, 3));
  FlowJob job = job_of(static_cast<int>(dice.pick(2, 6)), ranks, static_cast<int>(dice.pick(1, 3)),
                       dice.pick(1, 4), 2 * static_cast<int>(dice.pick(2, 8)));
  for (int& home : job.homes) home = static_cast<int>(dice.pick(0, job.nodes() - 1));
  const int teams = static_cast<int>(dice.pick(1, std::min(ranks, job.slots - 2)));
  for (policy::Teams& team : job.layers.teams.edit()) team.count = teams;
  if (dice.chance(3)) job.layers.nodes_per_group = static_cast<int>(dice.pick(2, 3));
  if (dice.chance(4)) job.counters = static_cast<int>(dice.pick(teams, 6));
  job.room = dice.pick(1, 12);
  if (dice.chance(2)) pack(job, dice);
  const auto part = static_cast<std::uint32_t>(dice.pick(0, 4)),
             seed = static_cast<std::uint32_t>(dice.pick(0, 999));
  job.touches = [part, seed](int node, int rank, int domain, std::int64_t round) {
    return drawn(seed + 7U * static_cast<std::uint32_t>(node) + 131U * static_cast<std::uint32_t>(rank) +
                     1009U * static_cast<std::uint32_t>(domain) + 10007U * static_cast<std::uint32_t>(round),
                 4) < part;
  };
  return job;
}

TEST(WindowOrder, AnyJobEndsInAnyOrderOfEvents) {
  for (std::uint32_t seed = 0; seed < 3000 && !::testing::Test::HasFatalFailure(); ++seed) {
    Dice dice(seed);
    const FlowJob job = random_job(dice);
    expect_over(job, run_at_random(job, dice), "seed " + std::to_string(seed));
  }
}

/// Most windows have bytes of one rank: ranks run ahead of one that has an earlier window.
FlowJob sparse_job(Dice& dice) {
  FlowJob job = job_of(static_cast<int>(dice.pick(2, 3)), static_cast<int>(dice.pick(2, 4)), 1,
                       dice.pick(4, 24), 2 * static_cast<int>(dice.pick(2, 6)));
  job.room = dice.pick(1, 3);
  if (dice.chance(2)) pack(job, dice);
  const auto seed = static_cast<std::uint32_t>(dice.pick(0, 999));
  job.touches = [ranks = job.teams(0).ranks, seed](int node, int rank, int domain, std::int64_t round) {
    return drawn(seed + 7U * static_cast<std::uint32_t>(node) + 1009U * static_cast<std::uint32_t>(domain) +
                     10007U * static_cast<std::uint32_t>(round),
                 static_cast<std::uint32_t>(ranks) + 1) == static_cast<std::uint32_t>(rank);
  };
  return job;
}

TEST(WindowOrder, SparseJobsEndInAnyOrderOfEvents) {
  for (std::uint32_t seed = 0; seed < 3000 && !::testing::Test::HasFatalFailure(); ++seed) {
    Dice dice(seed);
    const FlowJob job = sparse_job(dice);
    expect_over(job, run_at_random(job, dice), "seed " + std::to_string(seed));
  }
}

/// The world can tell: without the rule for pieces that meet on the way, some jobs stand still.
TEST(WindowOrder, ACircleIsFound) {
  bool still = false;
  for (std::uint32_t seed = 0; seed < 3000 && !still; ++seed) {
    Dice dice(seed);
    FlowJob job = random_job(dice);
    job.relays_rotate = true;
    still = !run_at_random(job, dice).over();
  }
  EXPECT_TRUE(still);
}

TEST(WindowOrder, TwoNodesAndThreeWindowsEndInEveryOrderOfEvents) {
  const FlowJob job = job_of(2, 2, 1, 3, 4);
  std::unordered_set<std::string> seen;
  std::vector<FlowWorld> left{FlowWorld(job)};
  while (!left.empty() && !::testing::Test::HasFatalFailure()) {
    FlowWorld world = std::move(left.back());
    left.pop_back();
    const std::vector<FlowWorld::Step> steps = world.possible();
    if (steps.empty()) expect_over(job, world, "a way through");
    for (const FlowWorld::Step& step : steps) {
      FlowWorld next = &step == &steps.back() ? std::move(world) : world;
      next.take(step);
      if (seen.insert(next.text()).second) left.push_back(std::move(next));
    }
  }
  EXPECT_GT(seen.size(), 1000U);
}

}  // namespace
}  // namespace collio::flow
