// What the steps of two layers take on a node.
#include "simulate/two_layer_costs.hpp"

#include <gtest/gtest.h>

#include "interleaved_job.hpp"

namespace collio::simulate {
namespace {

TEST(TwoLayerCosts, RanksCopyAtATimeAndOneMakesTheMessage) {
  const machine::Topology topology = machine::SingleSwitch{2, {1e9, 1e-6}};
  const Job job = test::interleaved(8, 4, 100, 100);
  CallSetting setting{topology, job, {0, 1}, {}, {}};
  NodeCosts& node = setting.model.node;
  node.cores = 2;
  node.place_bytes_per_s = node.copy_bytes_per_s = 1e9;
  node.place_piece_s = node.merge_piece_s = 1e-6;
  node.message_s = 1e-5;
  const TwoLayerCosts costs{setting, 0.5};
  const Share share{0, 100, 1'000'000, 4};
  EXPECT_DOUBLE_EQ(costs.copy_s(0, share), (1e-3 + 1e-4) / 2) << "two cores for four ranks";
  EXPECT_DOUBLE_EQ(costs.merge_s(0, share, false), 2 * (1e-3 + 50e-6))
      << "half of the pieces are left when joined";
  EXPECT_DOUBLE_EQ(costs.merge_s(0, share, true), 2 * (1e-3 + 100e-6)) << "packed ones are not joined";
  EXPECT_DOUBLE_EQ(costs.make_s(0, share, false), costs.merge_s(0, share, false));
  EXPECT_DOUBLE_EQ(costs.make_s(0, share, true), 2 * 1e-3) << "and described by their ranks";
  EXPECT_DOUBLE_EQ(costs.mark_s(0, share), 2 * 1e-4);
  EXPECT_DOUBLE_EQ(costs.message_s(0), 2e-5);
  EXPECT_EQ(costs.described_bytes(share, false),
            TwoLayerCosts::header_bytes + 50 * TwoLayerCosts::piece_bytes);
}

TEST(TwoLayerCosts, ATeamSendsWhereItHasPiecesAndFirstWhereItHasSomeLater) {
  Shares teams(2, {0, 1, 2});
  teams.add(0, 1, {3, 1, 10});
  teams.add(0, 2, {4, 1, 10});
  teams.add(0, 2, {5, 0, 0});
  const NodeShares shares{teams, teams, 1};
  EXPECT_EQ(shares.teams_of, (std::vector<std::vector<int>>{{3, 4}, {}}));
  const auto due = [&](int domain, std::int64_t round, int team) {
    return shares.due(domain, round, teams.share_of(domain, static_cast<std::size_t>(round), team));
  };
  EXPECT_TRUE(due(0, 0, 3) && due(0, 0, 4)) << "they say which round comes next";
  EXPECT_TRUE(due(0, 1, 3) && due(0, 2, 4));
  EXPECT_FALSE(due(0, 1, 4) || due(0, 0, 5) || due(0, 2, 5) || due(1, 0, 3));
}

}  // namespace
}  // namespace collio::simulate
