// Fifty networks whose distances, routes and placements were computed elsewhere
// (tests/golden/make_machines.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "golden_machine.hpp"
#include "policy/placement/assignment.hpp"

namespace collio::policy {
namespace {

using test::GoldenMachine;
using test::GoldenRecord;

PlacementMeasures placed(Assignment policy, const PlacementProblem& problem) {
  return measure(problem, assign_domains(policy, problem));
}

TEST(GoldenMachines, AreFiftyAndPassTheirChecks) {
  const std::vector<GoldenMachine> machines = test::golden_machines();
  EXPECT_EQ(machines.size(), 50u);
  for (const GoldenMachine& m : machines) {
    const core::Error error = check_placement(m.problem());
    EXPECT_TRUE(error.ok()) << m.record.name << ": " << error.message;
    EXPECT_EQ(m.topology.links(), m.record.number<int>("links")) << m.record.name;
  }
}

TEST(GoldenMachines, NodesAreAsFarApartAsTheGraphSays) {
  for (const GoldenMachine& m : test::golden_machines()) {
    const PlacementProblem p = m.problem();
    const core::Matrix<int> hops = m.record.matrix<int>("hops");
    for (int a = 0; a < hops.rows(); ++a)
      for (int b = 0; b < hops.columns(); ++b)
        ASSERT_EQ(m.topology.hops(p.trip(a, b)), hops(a, b)) << m.record.name << ": " << a << " to " << b;
    for (std::size_t i = 0; i < m.record.count("storage"); ++i) {
      const std::vector<int> storage = m.record.numbers<int>("storage", i);
      for (std::size_t n = 0; n < p.nodes.size(); ++n) {
        ASSERT_EQ(m.topology.hops({p.nodes[n], storage[0]}), storage[n + 1]) << m.record.name;
        ASSERT_EQ(m.topology.hops({storage[0], p.nodes[n]}), storage[n + 1]) << m.record.name;
      }
    }
  }
}

TEST(GoldenMachines, RoutesPassTheGraphsLinks) {
  int compared = 0;
  for (const GoldenMachine& m : test::golden_machines())
    for (std::size_t i = 0; i < m.record.count("route"); ++i) {
      const std::vector<int> ends = m.record.numbers<int>("route", i);
      std::vector<int> way{ends[0], ends[1]};
      m.topology.route({ends[0], ends[1]},
                       [&](const machine::Hop& hop) { way.push_back(static_cast<int>(hop.index())); });
      ASSERT_EQ(way, ends) << m.record.name;
      ++compared;
    }
  EXPECT_GT(compared, 300);
}

TEST(GoldenMachines, MeasuresOfAPlacementAreTheGraphs) {
  for (const GoldenMachine& m : test::golden_machines()) {
    const std::vector<double> expected = m.record.numbers<double>("in_order");
    const PlacementMeasures measures = placed(Assignment::in_order, m.problem());
    EXPECT_EQ(measures.hop_bytes, static_cast<std::int64_t>(expected[0])) << m.record.name;
    EXPECT_DOUBLE_EQ(measures.busiest.time_s, expected[1]) << m.record.name;
    EXPECT_EQ(measures.bytes_inside_nodes, static_cast<std::int64_t>(expected[2])) << m.record.name;
    EXPECT_EQ(*std::max_element(measures.seat_bytes.begin(), measures.seat_bytes.end()),
              static_cast<std::int64_t>(expected[3]))
        << m.record.name;
  }
}

TEST(GoldenMachines, AssignmentsAreAsGoodAsTheBest) {
  int tried = 0, found = 0;
  for (const GoldenMachine& m : test::golden_machines()) {
    const PlacementProblem p = m.problem();
    const PlacementMeasures least_hops = placed(Assignment::least_hop_bytes, p),
                            least_busy = placed(Assignment::least_congestion, p);
    EXPECT_EQ(placed(Assignment::locality_aware, p).bytes_inside_nodes,
              m.record.number<std::int64_t>("most_inside"))
        << m.record.name;
    EXPECT_EQ(least_hops.hop_bytes, m.record.number<std::int64_t>("least_hop_bytes")) << m.record.name;
    EXPECT_LE(least_busy.busiest.time_s, least_hops.busiest.time_s) << m.record.name;
    EXPECT_LE(least_busy.busiest.time_s, placed(Assignment::in_order, p).busiest.time_s) << m.record.name;
    if (!m.record.has("least_busiest_s")) continue;
    const double least = m.record.number<double>("least_busiest_s");
    EXPECT_GE(least_busy.busiest.time_s, least * (1 - 1e-12)) << m.record.name;
    ++tried;
    found += least_busy.busiest.time_s <= least * (1 + 1e-12);
  }
  std::cout << "exchanges found the least busiest link on " << found << " of " << tried << " machines\n";
  EXPECT_GE(10 * found, 8 * tried);
}

}  // namespace
}  // namespace collio::policy
