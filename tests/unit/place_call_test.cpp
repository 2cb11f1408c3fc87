// Domains placed among the first ranks of more nodes than a matrix of nodes is for: what they do in messages
// is what the policy does with all bytes at once. Ranks are fibers of one thread, in random order.
#include "engine/call/place_call.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "letters.hpp"
#include "schedule.hpp"

namespace collio::engine {
namespace {

constexpr int job_nodes = 80, seats = 320;
using Row = std::vector<policy::DomainBytes>;
using test::Letters;
/// A job on one unknown network.
struct Job {
  machine::Machine machine;
  policy::Hints hints;
  std::vector<int> homes;
  policy::Plan plan;
  std::vector<Row> rows;

  explicit Job(const std::function<std::int64_t(int, int)>& bytes) : rows(job_nodes) {
    for (int node = 0; node < job_nodes; ++node) {
      machine.nodes.edit().push_back({.name = "n" + std::to_string(node), .ranks = 8});
      for (int d = 0; d < seats; ++d)
        if (const std::int64_t there = bytes(node, d); there > 0)
          rows[static_cast<std::size_t>(node)].push_back({d, there});
    }
    for (int i = 0; i < seats; ++i) homes.push_back(i % job_nodes);
    plan.path = policy::Path::two_layer;
    plan.domains = policy::cut_evenly({{0, std::int64_t{seats} << 20}, seats, 4096, 1 << 20});
  }
  [[nodiscard]] policy::PlacedDomains at_once() const {
    policy::NodeBytes bytes(seats);
    for (const Row& row : rows) bytes.add_row(row);
    return policy::place_domains(plan, machine, hints, {std::move(bytes)}, homes);
  }
};

struct Result {
  policy::PlacedDomains placed;
  /// numbers that a node sent at most
  std::size_t most_sent = 0;
};

Result among_ranks(const Job& job, std::uint32_t seed) {
  Letters::Post post;
  Result result;
  transport::Schedule schedule(seed, job_nodes);
  const bool ended = schedule.run(
      {},
      [&](int node) {
        const Letters leaders(post, node, job_nodes);
        policy::PlacedDomains placed = placed_by_rows(leaders, {job.plan, job.machine, job.hints, job.homes},
                                                      job.rows[static_cast<std::size_t>(node)]);
        if (node == 0) result.placed = std::move(placed);
        result.most_sent = std::max(result.most_sent, leaders.sent);
      },
      [] {});
  EXPECT_TRUE(ended) << "ranks hang";
  EXPECT_TRUE(Letters::all_read(post));
  return result;
}

void expect_same(const policy::PlacedDomains& found, const policy::PlacedDomains& expected) {
  EXPECT_EQ(found.seat_of_domain, expected.seat_of_domain);
  EXPECT_EQ(found.how, expected.how);
  EXPECT_EQ(found.traffic, expected.traffic);
  EXPECT_EQ(policy::placing_text(found), policy::placing_text(expected));
  EXPECT_TRUE(found.after.seat_bytes.empty()) << "plans are kept";
}

TEST(PlaceCall, SumsAloneKeepInOrderWhatNothingCanBeGainedBy) {
  std::mt19937 dice(3);
  const Job job([&](int, int) { return 1000 + dice() % 10; });
  ASSERT_TRUE(policy::sums_first(job.plan, job.machine, job.hints, job.homes));
  const Result result = among_ranks(job, 1);
  const policy::PlacedDomains all = job.at_once();
  EXPECT_EQ(all.reason.why, policy::WhyAssignment::bounded);
  expect_same(result.placed, all);
  EXPECT_LT(result.most_sent, 2U * (seats + 2 * job_nodes) + 20) << "no rows";
}

TEST(PlaceCall, EntriesDecideWhereSumsLeaveItOpen) {
  // Each node has most of the bytes of domains that are not its own.
  const Job job([](int node, int d) { return d / 4 == node ? 1 << 20 : d % 7 == node % 7 ? 100 : 0; });
  ASSERT_TRUE(policy::sums_first(job.plan, job.machine, job.hints, job.homes));
  const policy::PlacedDomains all = job.at_once();
  EXPECT_NE(all.reason.why, policy::WhyAssignment::bounded);
  EXPECT_LT(all.after.busiest.time_s, 0.5 * all.before.busiest.time_s);
  for (const std::uint32_t seed : {1U, 2U, 3U}) expect_same(among_ranks(job, seed).placed, all);
}

TEST(PlaceCall, AHintIsObeyedWithoutSums) {
  Job job([](int node, int d) { return d / 4 == node ? 1 << 20 : 0; });
  job.hints.assignment = policy::Assignment::locality_aware;
  ASSERT_FALSE(policy::sums_first(job.plan, job.machine, job.hints, job.homes));
  expect_same(among_ranks(job, 4).placed, job.at_once());
}

}  // namespace
}  // namespace collio::engine
