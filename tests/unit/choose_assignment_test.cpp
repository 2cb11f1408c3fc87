// The assignment `auto` takes: the one whose busiest link is done soonest, unless domains in order are as
// good.
#include "policy/placement/choose_assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "golden_machine.hpp"

namespace collio::policy {
namespace {

using Matrix = core::Matrix<std::int64_t>;

/// Two nodes on a switch, two domains; node 0 has `here` bytes of domain 1 and node 1 has `there` of domain
/// 0; with the domains exchanged these stay, and `back` bytes of each cross instead.
PlacementProblem crossed(const machine::Topology& pair, std::int64_t here, std::int64_t back) {
  Matrix bytes({2, 2});
  bytes(0, 1) = bytes(1, 0) = here;
  bytes(0, 0) = bytes(1, 1) = back;
  return {pair, {0, 1}, bytes, {0, 1}};
}

const machine::Topology& pair() {
  static const machine::Topology topology(machine::SingleSwitch{2, {1000, 0}});
  return topology;
}

TEST(ChooseAssignment, TheBusiestLinkThatIsDoneSoonestWins) {
  const AssignmentChoice choice = choose_assignment(crossed(pair(), 3000, 1000));
  EXPECT_EQ(choice.how, Assignment::locality_aware) << "the first of those that are equally good";
  EXPECT_EQ(choice.seat_of_domain, (std::vector<int>{1, 0}));
  EXPECT_EQ(choice.before.busiest.bytes, 3000);
  EXPECT_EQ(choice.after.busiest.bytes, 1000);
  EXPECT_EQ(choice.reason.why, WhyAssignment::sooner);
  EXPECT_EQ(assignment_text(choice.reason),
            "the busiest link needs 1 s instead of 3 s with domains in order");
}

TEST(ChooseAssignment, LessThanTwoPercentAreNotWorthIt) {
  const AssignmentChoice next_to_nothing = choose_assignment(crossed(pair(), 1000, 981));
  EXPECT_EQ(next_to_nothing.how, Assignment::in_order);
  EXPECT_EQ(next_to_nothing.seat_of_domain, (std::vector<int>{0, 1}));
  EXPECT_EQ(next_to_nothing.after.busiest.bytes, 1000);
  EXPECT_EQ(next_to_nothing.reason.why, WhyAssignment::saves_little);
  EXPECT_EQ(assignment_text(next_to_nothing.reason),
            "the busiest link needs 1 s with domains in order; locality_aware saves less than 2 % of it");
  EXPECT_NE(choose_assignment(crossed(pair(), 1000, 980)).how, Assignment::in_order);
}

TEST(ChooseAssignment, WhereNothingIsSoonerDomainsStayInOrder) {
  const AssignmentChoice choice = choose_assignment(crossed(pair(), 1000, 2000));
  EXPECT_EQ(choice.how, Assignment::in_order);
  EXPECT_EQ(choice.reason.why, WhyAssignment::nothing_sooner);
  EXPECT_EQ(assignment_text(choice.reason),
            "the busiest link needs 1 s with domains in order, and with nothing else less");
  EXPECT_EQ(choose_assignment(crossed(pair(), 0, 2000)).reason.why, WhyAssignment::no_traffic);
  EXPECT_EQ(assignment_text({.why = WhyAssignment::no_traffic}),
            "with domains in order no byte leaves its node");
  EXPECT_EQ(assignment_text({}), "asked for by hint");
  const AssignmentChoice nothing = choose_assignment({pair(), {0, 1}, NodeBytes(Matrix({2, 0})), {0, 1}});
  EXPECT_EQ(nothing.how, Assignment::in_order);
  EXPECT_TRUE(nothing.seat_of_domain.empty());
}

/// On every golden machine, with its bytes and with others: no policy beats the one that aims at what is
/// measured, and the choice is within what it may give away.
TEST(ChooseAssignment, EveryPolicyIsBestAtWhatItAimsAt) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  for (const test::GoldenMachine& machine : test::golden_machines())
    for (int trial = 0; trial < 5; ++trial) {
      PlacementProblem p = machine.problem();
      Matrix bytes({p.bytes.rows(), p.domains()});
      for (std::int64_t& b : bytes.values()) b = dice() % 3 ? 0 : dice() % 100000;
      if (trial > 0) p.bytes = bytes;
      const std::vector<std::vector<int>> by_all = assign_by_all(p);
      std::vector<PlacementMeasures> measures;
      for (const std::vector<int>& seat_of_domain : by_all) measures.push_back(measure(p, seat_of_domain));
      double soonest_s = measures.back().busiest.time_s;
      for (const PlacementMeasures& m : measures) {
        EXPECT_LE(measures[static_cast<std::size_t>(Assignment::least_congestion)].busiest.time_s,
                  m.busiest.time_s)
            << machine.record.name;
        EXPECT_LE(measures[static_cast<std::size_t>(Assignment::least_hop_bytes)].hop_bytes, m.hop_bytes)
            << machine.record.name;
        EXPECT_GE(measures[static_cast<std::size_t>(Assignment::locality_aware)].bytes_inside_nodes,
                  m.bytes_inside_nodes)
            << machine.record.name;
        soonest_s = std::min(soonest_s, m.busiest.time_s);
      }
      const AssignmentChoice choice = choose_assignment(p);
      EXPECT_LE(choice.after.busiest.time_s * (1 - least_gain), soonest_s) << machine.record.name;
      EXPECT_EQ(measure(p, choice.seat_of_domain).busiest.time_s, choice.after.busiest.time_s);
      EXPECT_EQ(choice.seat_of_domain, by_all[static_cast<std::size_t>(choice.how)]);
    }
}

}  // namespace
}  // namespace collio::policy
