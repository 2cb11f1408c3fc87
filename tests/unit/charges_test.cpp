// What opens, digests and plans take beside the bytes.
#include "simulate/charges.hpp"

#include <gtest/gtest.h>

#include "interleaved_job.hpp"

namespace collio::simulate {
namespace {

struct Charged {
  machine::Topology topology;
  Job job;
  CallSetting setting;

  explicit Charged(int nodes, int per_node, std::int64_t piece = 1 << 20)
      : topology(machine::SingleSwitch{nodes, {10e9, 1e-6}}),
        job(test::interleaved(nodes * per_node, per_node, piece, 4)),
        setting{topology, job, {}, {}, {}, false} {
    for (int node = 0; node < nodes; ++node) setting.nodes.push_back(node);
    setting.hints.layout = false;
  }
  [[nodiscard]] std::vector<ChargedCall> calls(policy::Path path = policy::Path::two_layer) const {
    const PlannedCall call = plan_call(setting, digest_of(job), path);
    EXPECT_EQ(call.plan.path, path);
    return charged_calls(setting, call);
  }
};

const ChargedCall& named(const std::vector<ChargedCall>& calls, const std::string& name) {
  return *std::ranges::find(calls, name, &ChargedCall::name);
}

bool has(const ChargedCall& call, const std::string& cause) {
  return std::ranges::any_of(call.charges, [&](const Charge& one) { return one.cause == cause; });
}

TEST(Charges, ReductionsAreMpisWhereNodesHaveOneRank) {
  for (const int nodes : {2, 32, 1024})
    EXPECT_EQ(named(Charged(nodes, 4).calls(), "later call").sum().collectives, 0) << "boards and messages";
  EXPECT_EQ(named(Charged(1, 8).calls(), "later call").sum().collectives, 0) << "the board alone";
  EXPECT_EQ(named(Charged(32, 1).calls(policy::Path::two_phase), "later call").sum().collectives, 3)
      << "two agreements and a sum of senders";
}

TEST(Charges, GrowWithTheLogarithmOfNodes) {
  const auto later_s = [](int nodes) { return named(Charged(nodes, 8).calls(), "later call").sum().seconds; };
  EXPECT_GT(later_s(1024), later_s(32));
  EXPECT_LT(later_s(1024), 6 * later_s(32));
}

TEST(Charges, AFurtherFileTakesTheSameMemoryOnAnyNumberOfNodes) {
  const auto bytes = [](int nodes) {
    return named(Charged(nodes, 8).calls(), "later open").sum().node_bytes;
  };
  EXPECT_EQ(bytes(4), bytes(1024));
  const auto first = [](int nodes) {
    return named(Charged(nodes, 8).calls(), "first open").sum().node_bytes;
  };
  EXPECT_GT(first(1024), first(4) + 8 * 100 * 1000) << "tables of nodes in each rank";
}

TEST(Charges, DomainsArePlacedInAFirstCallAlone) {
  const std::vector<ChargedCall> calls = Charged(256, 8, 64 << 10).calls();
  EXPECT_TRUE(has(named(calls, "first call"), "place: sums over nodes"));
  EXPECT_FALSE(has(named(calls, "later call"), "place: sums over nodes"));
  const std::vector<ChargedCall> few = Charged(16, 8).calls();
  EXPECT_FALSE(has(named(few, "first call"), "place: sums over nodes"));
  EXPECT_GT(std::ranges::find(named(few, "first call").charges, "place: rows on rank 0", &Charge::cause)
                ->node_bytes,
            0);
  EXPECT_FALSE(has(named(Charged(256, 8, 64).calls(), "first call"), "place: sums over nodes"))
      << "too few bytes";
}

TEST(Charges, NapsArePartOfACall) {
  Charged job(64, 8);
  const double free_s = named(job.calls(), "later call").sum().seconds;
  job.setting.model.node.cores = 4;
  EXPECT_GT(named(job.calls(), "later call").sum().seconds, free_s + 1e-3)
      << "two ranks share a core, so a wait naps for a sixteenth of its length";
  for (const ChargedCall& call : job.calls())
    for (const Charge& one : call.charges) EXPECT_GE(one.seconds, 0) << one.cause;
}

}  // namespace
}  // namespace collio::simulate
