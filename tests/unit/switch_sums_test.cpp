// Sums that nodes make in parts say of one switch what its entries say.
#include "policy/placement/switch_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "machine/node_traffic.hpp"
#include "policy/placement/place_domains.hpp"

namespace collio::policy {
namespace {

constexpr int nodes = 80, seats = 320;

/// Nodes of one job; the network is unknown, so they count as on one switch.
struct Job {
  machine::Machine machine;
  std::vector<int> homes;
  Plan plan;
  NodeBytes bytes{seats};

  /// row(node, domain): bytes.
  explicit Job(const std::function<std::int64_t(int, int)>& of) {
    for (int i = 0; i < nodes; ++i)
      machine.nodes.edit().push_back({.name = "n" + std::to_string(i), .ranks = 8});
    for (int i = 0; i < seats; ++i) homes.push_back(i % nodes);
    plan.path = Path::two_layer;
    plan.domains = cut_evenly({{0, std::int64_t{seats} << 20}, seats, 4096, 1 << 20});
    for (int node = 0; node < nodes; ++node) {
      std::vector<DomainBytes> row;
      for (int d = 0; d < seats; ++d)
        if (const std::int64_t there = of(node, d); there > 0) row.push_back({d, there});
      bytes.add_row(row);
    }
  }

  /// As the nodes of a job make them.
  [[nodiscard]] SwitchSums sums() const {
    SwitchSums all = part_of_sums(plan, homes, nodes, 0, bytes.row(0));
    for (int node = 1; node < nodes; ++node) {
      const SwitchSums part = part_of_sums(plan, homes, nodes, node, bytes.row(node));
      std::ranges::transform(all.sums, part.sums, all.sums.begin(), std::plus{});
      std::ranges::transform(all.most, part.most, all.most.begin(),
                             [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
    }
    return all;
  }
  [[nodiscard]] PlacedDomains placed(CallBytes of) const {
    return place_domains(plan, machine, Hints{}, std::move(of), homes);
  }
};

TEST(SwitchSums, RuleOutWhatAllEntriesRuleOutAndNothingElse) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  int ruled_out = 0, not_ruled_out = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const unsigned part = 1 + static_cast<unsigned>(trial) % 4 * 20;
    Job job([&](int, int) { return dice() % part ? 0 : static_cast<std::int64_t>(1000 + dice() % 5000); });
    if (trial % 2) job.plan.direction = Direction::read;
    const PlacedDomains by_all = job.placed({job.bytes});
    const std::optional<PlacedDomains> by_sums =
        placed_by_sums(job.plan, job.machine, Hints{}, job.homes, job.sums());
    ASSERT_EQ(by_sums.has_value(), by_all.reason.why == WhyAssignment::bounded);
    ++(by_sums ? ruled_out : not_ruled_out);
    if (!by_sums) continue;
    EXPECT_EQ(by_sums->seat_of_domain, by_all.seat_of_domain);
    EXPECT_EQ(by_sums->traffic, by_all.traffic);
    EXPECT_EQ(placing_text(*by_sums), placing_text(by_all));
    EXPECT_EQ(by_sums->after.busiest.bytes, by_all.after.busiest.bytes);
    EXPECT_EQ(by_sums->after.hop_bytes, by_all.after.hop_bytes);
    EXPECT_EQ(by_sums->after.bytes_inside_nodes, by_all.after.bytes_inside_nodes);
  }
  EXPECT_GT(ruled_out, 0);
  EXPECT_GT(not_ruled_out, 0);
}

TEST(SwitchSums, TheHeaviestEntriesAreEnoughToPlaceBy) {
  // Each node has most of the bytes of four domains, and a little of all others.
  const Job job([](int node, int d) { return d / 4 == node ? 1 << 20 : 100 + node; });
  const PlacedDomains by_all = job.placed({job.bytes});
  EXPECT_GT(1 - by_all.after.busiest.time_s / by_all.before.busiest.time_s, 0.5);
  NodeBytes few(seats);
  for (int node = 0; node < nodes; ++node) {
    const auto row = job.bytes.row(node);
    few.add_row(heaviest({row.begin(), row.end()}, 8));
  }
  EXPECT_EQ(few.entries(), 8u * nodes);
  const PlacedDomains by_few = job.placed({few, job.sums(), false});
  EXPECT_EQ(by_few.seat_of_domain, by_all.seat_of_domain);
  EXPECT_TRUE(by_few.reason.limited);
  EXPECT_FALSE(by_few.traffic) << "of what was left out nothing is known";
  EXPECT_EQ(by_few.before.bytes, by_all.before.bytes);
  EXPECT_GE(by_few.after.busiest.time_s, by_all.after.busiest.time_s) << "what is left out counts as sent";
}

TEST(SwitchSums, AreMadeFirstWhereTheyMayAnswer) {
  const Job job([](int, int) { return 1; });
  Hints asked, elected;
  asked.assignment = Assignment::locality_aware;
  elected.who = Election::topology_aware;
  EXPECT_TRUE(sums_first(job.plan, job.machine, Hints{}, job.homes));
  EXPECT_FALSE(sums_first(job.plan, job.machine, asked, job.homes));
  EXPECT_FALSE(sums_first(job.plan, job.machine, elected, job.homes));
  machine::Machine few = job.machine;
  few.nodes.edit().resize(machine::NodeTraffic::most_nodes_in_matrix);
  EXPECT_FALSE(sums_first(job.plan, few, Hints{}, job.homes)) << "a report is to have the matrix of nodes";
}

}  // namespace
}  // namespace collio::policy
