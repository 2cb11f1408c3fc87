// Assignments of domains to aggregators: what each policy is for, how many domains an aggregator gets, and
// planning at scale.
#include "policy/placement/assignment.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <random>

#include "policy/placement/swap_domains.hpp"

namespace collio::policy {
namespace {

using machine::Topology;
using Matrix = core::Matrix<std::int64_t>;

constexpr machine::Cable usual{1e9, 1e-6}, slow{2e8, 1e-6};
constexpr Assignment all[] = {Assignment::in_order, Assignment::locality_aware, Assignment::least_hop_bytes,
                              Assignment::least_congestion};

std::vector<int> first(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = i;
  return numbers;
}

TEST(Assignment, NamesComeBack) {
  for (const Assignment policy : all)
    EXPECT_EQ(core::value_named(words::assignment, name_of(policy)), policy);
  EXPECT_EQ(core::value_named(words::assignment, "best"), std::nullopt);
}

TEST(Assignment, BytesStayWhereTheyAreIfTheyCan) {
  const Topology t(machine::SingleSwitch{4, usual});
  const std::vector<int> owner{2, 0, 3, 1};
  Matrix bytes({4, 4});
  for (int d = 0; d < 4; ++d) bytes(owner[static_cast<std::size_t>(d)], d) = 10;
  const PlacementProblem p{t, first(4), bytes, first(4)};
  for (const Assignment policy :
       {Assignment::locality_aware, Assignment::least_hop_bytes, Assignment::least_congestion}) {
    EXPECT_EQ(assign_domains(policy, p), owner) << name_of(policy);
    EXPECT_EQ(measure(p, assign_domains(policy, p)).hop_bytes, 0);
  }
  EXPECT_EQ(assign_domains(Assignment::in_order, p), first(4));
}

TEST(Assignment, HopBytesSeeDistancesThatLocalityDoesNot) {
  // Two racks; the only aggregators are on nodes 1 and 2, and no byte of any domain is there.
  const Topology t(machine::Tree{2, 2, usual, slow});
  Matrix bytes({4, 2});
  bytes(3, 0) = 100, bytes(0, 1) = 100;
  const PlacementProblem p{t, first(4), bytes, {1, 2}};
  EXPECT_EQ(measure(p, assign_domains(Assignment::locality_aware, p)).bytes_inside_nodes, 0);
  EXPECT_EQ(assign_domains(Assignment::least_hop_bytes, p), (std::vector<int>{1, 0}));
}

TEST(Assignment, TheLeastHopBytesMayMeetOnOneLink) {
  // A ring: all bytes are on node 0. Two aggregators are next to it on one side, one is two links away on the
  // other.
  const Topology t(machine::Torus{{8}, usual});
  Matrix bytes({8, 2});
  bytes(0, 0) = 60, bytes(0, 1) = 50;
  const PlacementProblem p{t, first(8), bytes, {1, 1, 6}};
  const PlacementMeasures nearest = measure(p, assign_domains(Assignment::least_hop_bytes, p));
  const PlacementMeasures spread = measure(p, assign_domains(Assignment::least_congestion, p));
  EXPECT_EQ(nearest.hop_bytes, 110);
  EXPECT_EQ(nearest.busiest.bytes, 110);
  EXPECT_EQ(spread.busiest.bytes, 60);
  EXPECT_GT(spread.hop_bytes, nearest.hop_bytes);
}

TEST(Assignment, NoAggregatorHasMoreDomainsThanItsShare) {
  const Topology t(machine::Tree{2, 2, usual, slow});
  for (const int domains : {0, 1, 3, 4, 7, 9}) {
    Matrix bytes({4, domains});
    for (int d = 0; d < domains; ++d) bytes(0, d) = 1 + d;  // everyone wants node 0
    const PlacementProblem p{t, first(4), bytes, {0, 2, 2}};
    for (const Assignment policy : all) {
      std::vector<int> counts(3, 0);
      for (const int seat : assign_domains(policy, p)) ++counts.at(static_cast<std::size_t>(seat));
      EXPECT_LE(*std::max_element(counts.begin(), counts.end()), (domains + 2) / 3)
          << name_of(policy) << ", " << domains << " domains";
    }
  }
}

TEST(ExchangeDomains, NeverMakesTheBusiestLinkBusier) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  const Topology networks[] = {machine::Torus{{3, 4}, usual}, machine::FatTree{3, 4, 2, usual, slow},
                               machine::Dragonfly{3, 2, 2, usual, usual, slow}};
  for (int trial = 0; trial < 150; ++trial) {
    Matrix bytes({12, 5});
    for (std::int64_t& b : bytes.values()) b = dice() % 4 ? 0 : dice() % 1000;
    PlacementProblem p{networks[trial % 3], first(12), bytes, {}};
    p.reads = trial % 2;
    for (int i = 0; i < 6; ++i) p.seats.push_back(static_cast<int>(dice() % 12));
    std::vector<int> before{0, 1, 2, 3, 4};
    const std::vector<int> after = swap_domains(p, before, most_exchange_work);
    const double was = measure(p, before).busiest.time_s, is = measure(p, after).busiest.time_s;
    ASSERT_LE(is, was);
    ASSERT_EQ(swap_domains(p, after, most_exchange_work), after) << "where no exchange helps, it stays";
    ASSERT_EQ(swap_domains(p, before, 0), before) << "no work allowed";
  }
}

TEST(ExchangeDomains, SoManyRoutesThatNoneAreKeptLeadToTheSame) {
  // All bytes are on node 0 of 2048; the first aggregators are reached through one spine switch, the others
  // through others.
  const Topology t(machine::FatTree{64, 32, 16, usual, slow});
  Matrix bytes({2048, 2});
  bytes(0, 0) = 60, bytes(0, 1) = 50;
  PlacementProblem p{t, first(2048), bytes, {}};
  for (int node = 32; node < 2048; node += 16) p.seats.push_back(node);
  EXPECT_EQ(measure(p, swap_domains(p, {0, 1}, most_exchange_work)).busiest.bytes, 110);
  for (int node = 33; node < 500; ++node) p.seats.push_back(node);
  EXPECT_EQ(measure(p, swap_domains(p, {0, 1}, most_exchange_work)).busiest.bytes, 60);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double most_mib_allowed = 1000;  // sanitizers keep what is freed, and shadows of it
#else
constexpr double most_mib_allowed = 100;
#endif

/// Most memory this process has had.
double most_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// 16384 ranks dealt to 256 nodes, each with bytes in 16 domains that follow each other and in one anywhere.
PlacementProblem job_of_16384_ranks(const Topology& topology, std::mt19937& dice) {
  constexpr int nodes = 256, domains = 256, ranks = 16384;
  Matrix bytes({nodes, domains});
  PlacementProblem p{topology, first(nodes), {}, first(nodes)};
  std::shuffle(p.nodes.begin(), p.nodes.end(), dice);  // as a scheduler leaves them
  for (int rank = 0; rank < ranks; ++rank) {
    const int node = rank / 64, near = (node * 37 + rank % 4 * 16) % domains;
    for (int d = near; d < near + 16; ++d)
      bytes(node, d % domains) += 65536 + static_cast<int>(dice() % 65536);
    bytes(node, static_cast<int>(dice() % domains)) += 65536;
  }
  p.bytes = bytes;
  return p;
}

TEST(Assignment, SixteenThousandRanksArePlannedInAMoment) {
  std::mt19937 dice(1);
  const Topology networks[] = {
      machine::FatTree{16, 16, 8, usual, usual}, machine::Torus{{4, 4, 4, 2, 2}, usual},
      machine::Dragonfly{8, 8, 4, usual, usual, slow}, machine::Torus{{8, 8, 4}, usual}};
  const double before_mib = most_mib();
  for (const Topology& network : networks) {
    const PlacementProblem p = job_of_16384_ranks(network, dice);
    for (const Assignment policy : all) {
      const auto start = std::chrono::steady_clock::now();
      const std::vector<int> seats = assign_domains(policy, p);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const PlacementMeasures m = measure(p, seats);
      std::cout << "shape " << network.shape().index() << ", " << p.nodes.size() << " nodes, "
                << name_of(policy) << ": " << seconds * 1e3 << " ms, hop-bytes "
                << static_cast<double>(m.hop_bytes) / 1e9 << "e9, busiest link " << m.busiest.time_s * 1e3
                << " ms\n";
      EXPECT_LT(seconds, 5) << "half a second is the aim; slow builds and busy machines take longer";
    }
  }
  EXPECT_LT(most_mib() - before_mib, most_mib_allowed);
}

}  // namespace
}  // namespace collio::policy
