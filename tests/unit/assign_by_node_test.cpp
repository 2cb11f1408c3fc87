// Placements of many domains: as good as those that weigh all pairs, and made in a moment.
#include "policy/placement/assign_by_node.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

namespace collio::policy {
namespace {

using Matrix = core::Matrix<std::int64_t>;

constexpr machine::Cable one_gbyte_s{1e9, 1e-6};

/// A job whose aggregators are dealt to its nodes.
struct Job {
  int nodes = 1, seats = 1, domains = 1;

  /// of the seats
  int spare = 0;

  /// bytes(node, domain) says what each node has of each domain.
  template <class Bytes>
  [[nodiscard]] PlacementProblem on(const machine::Topology& network, const Bytes& bytes) const {
    Matrix dense({nodes, domains});
    for (int node = 0; node < nodes; ++node)
      for (int d = 0; d < domains; ++d) dense(node, d) = bytes(node, d);
    PlacementProblem p{network, {}, dense, {}};
    p.spare = spare;
    for (int node = 0; node < nodes; ++node) p.nodes.push_back(node);
    for (int seat = 0; seat < seats; ++seat) p.seats.push_back(seat % nodes);
    return p;
  }
};

double saved(const AssignmentChoice& choice) {
  return choice.before.busiest.time_s > 0 ? 1 - choice.after.busiest.time_s / choice.before.busiest.time_s
                                          : 0;
}

int most_domains_of_a_seat(const PlacementProblem& p, const std::vector<int>& seat_of_domain) {
  std::vector<int> counts(p.seats.size(), 0);
  for (const int seat : seat_of_domain) ++counts.at(static_cast<std::size_t>(seat));
  return std::ranges::max(counts);
}

TEST(AssignByNode, SpareSeatsSaveMoreAndNoneIsTakenTwice) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  double with = 0, without = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int nodes = 2 + static_cast<int>(dice() % 8);
    const machine::Topology network(machine::SingleSwitch{nodes, one_gbyte_s});
    PlacementProblem p = Job{nodes, 4 * nodes, nodes, 3 * nodes}.on(
        network, [&](int, int) { return dice() % 3 ? 0 : static_cast<std::int64_t>(dice() % 100000); });
    const AssignmentChoice choice = choose_by_node(p);
    ASSERT_EQ(choice.after.hop_bytes, measure(p, choice.seat_of_domain).hop_bytes);
    ASSERT_EQ(most_domains_of_a_seat(p, choice.seat_of_domain), 1);
    with += saved(choice);
    p.seats.resize(p.seats.size() - static_cast<std::size_t>(std::exchange(p.spare, 0)));
    without += saved(choose_by_node(p));
  }
  EXPECT_GT(with, 1.05 * without);
}

TEST(AssignByNode, SavesAsMuchAsWeighingAllPairs) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  double by_node = 0, exact = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int nodes = 2 + static_cast<int>(dice() % 6), seats = nodes * (1 + static_cast<int>(dice() % 3));
    const machine::Topology network(machine::SingleSwitch{nodes, one_gbyte_s});
    const int domains = 1 + static_cast<int>(dice() % (2 * static_cast<unsigned>(seats)));
    PlacementProblem p = Job{nodes, seats, domains}.on(
        network, [&](int, int) { return dice() % 3 ? 0 : static_cast<std::int64_t>(dice() % 100000); });
    p.reads = trial % 2;
    const AssignmentChoice choice = choose_by_node(p);
    const PlacementMeasures m = measure(p, choice.seat_of_domain);
    ASSERT_EQ(choice.after.busiest.bytes, m.busiest.bytes);
    ASSERT_EQ(choice.after.busiest.time_s, m.busiest.time_s);
    ASSERT_EQ(choice.after.hop_bytes, m.hop_bytes);
    ASSERT_EQ(choice.after.bytes_inside_nodes, m.bytes_inside_nodes);
    ASSERT_EQ(choice.after.seat_bytes, m.seat_bytes);
    ASSERT_EQ(choice.after.imbalance, m.imbalance);
    ASSERT_LE(most_domains_of_a_seat(p, choice.seat_of_domain), (p.domains() + seats - 1) / seats);
    const AssignmentChoice best = choose_among(p, assign_by_all(p));
    if (choice.reason.why == WhyAssignment::bounded) {
      ASSERT_LT(saved(best), least_gain) << "what is ruled out cannot be had";
    }
    by_node += saved(choice), exact += saved(best);
  }
  EXPECT_GE(by_node, 0.97 * exact);
}

TEST(AssignByNode, NoSeatHasTwoOnOtherNetworksEither) {
  std::mt19937 dice(3);
  const machine::Topology network(machine::FatTree{4, 4, 2, one_gbyte_s, one_gbyte_s});
  const PlacementProblem p = Job{16, 32, 32}.on(
      network, [&](int, int) { return dice() % 5 ? 0 : static_cast<std::int64_t>(dice() % 1000); });
  for (const Assignment how : {Assignment::in_order, Assignment::locality_aware, Assignment::least_hop_bytes,
                               Assignment::least_congestion})
    EXPECT_EQ(most_domains_of_a_seat(p, assign_by_node(how, p)), 1) << name_of(how);
  const PlacementMeasures in_order = measure(p, assign_by_node(Assignment::in_order, p));
  EXPECT_GT(measure(p, assign_by_node(Assignment::locality_aware, p)).bytes_inside_nodes,
            in_order.bytes_inside_nodes);
  EXPECT_LT(measure(p, assign_by_node(Assignment::least_hop_bytes, p)).hop_bytes, in_order.hop_bytes);
  EXPECT_LE(choose_by_node(p).after.busiest.time_s, in_order.busiest.time_s);
}

TEST(AssignByNode, WhatCannotSaveIsNotLookedFor) {
  const machine::Topology network(machine::SingleSwitch{64, one_gbyte_s});
  PlacementProblem p = Job{64, 512, 512}.on(network, [](int, int) { return 1000; });
  const AssignmentChoice choice = choose_assignment(p);
  EXPECT_EQ(choice.how, Assignment::in_order);
  EXPECT_EQ(choice.reason.why, WhyAssignment::bounded);
  EXPECT_EQ(assignment_text(choice.reason),
            "the busiest link needs 0.000504 s with domains in order; nothing can save 2 % of it");
  p.bytes = Matrix({64, 512});
  EXPECT_EQ(choose_assignment(p).reason.why, WhyAssignment::no_traffic);
}

TEST(AssignByNode, TheReasonNamesTheLimitOfTheSearch) {
  EXPECT_EQ(assignment_text({.why = WhyAssignment::sooner, .in_order_s = 2, .taken_s = 1, .limited = true}),
            "the busiest link needs 1 s instead of 2 s with domains in order; the search ended at its limit "
            "of work");
}

TEST(AssignByNode, TheSearchEndsAtItsLimitOfWork) {
  // An aggregator's exchange is tried with 8000 domains, for 160 domains of a node.
  std::mt19937 dice(7);
  const machine::Topology network(machine::SingleSwitch{50, one_gbyte_s});
  const PlacementProblem p = Job{50, 8000, 8000}.on(
      network, [&](int, int) { return dice() % 10 ? 0 : static_cast<std::int64_t>(1 + dice() % 1000000); });
  const AssignmentChoice choice = choose_assignment(p);
  EXPECT_TRUE(choice.reason.limited);
  EXPECT_EQ(choice.how, Assignment::least_congestion);
  EXPECT_EQ(choice.seat_of_domain, choose_assignment(p).seat_of_domain) << "the same on all ranks";
  EXPECT_LE(most_domains_of_a_seat(p, choice.seat_of_domain), 1);
}

/// How long it takes is measured by bench/policy.
TEST(AssignByNode, AThousandNodesArePlacedOrLeftInOrder) {
  const machine::Topology network(machine::SingleSwitch{1000, one_gbyte_s});
  std::mt19937 dice(1);
  for (const bool everywhere : {true, false}) {
    const PlacementProblem p = Job{1000, 4000, 4000}.on(network, [&](int node, int d) {
      return everywhere || d / 125 == node * 4 / 125 ? 100000 + static_cast<int>(dice() % 1000) : 0;
    });
    const AssignmentChoice choice = choose_assignment(p);
    EXPECT_EQ(choice.how == Assignment::in_order, everywhere);
  }
}

}  // namespace
}  // namespace collio::policy
