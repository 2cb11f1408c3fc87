// The forms of COLLIO_RANKS_PER_NODE, and what is refused.
#include "machine/emulated_nodes.hpp"

#include <gtest/gtest.h>

namespace collio::machine {
namespace {

std::vector<int> parts(const EmulatedNodes& nodes, int ranks) {
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(nodes.part_of(rank));
  return all;
}

TEST(EmulatedNodes, ANumberIsTheMostRanksOfANode) {
  const EmulatedNodes nodes = read_emulated_nodes("3").value();
  EXPECT_EQ(nodes.most_ranks, 3);
  EXPECT_EQ(parts(nodes, 4), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(nodes.nodes(3), 1);
  EXPECT_EQ(nodes.nodes(7), 3);
  EXPECT_EQ(nodes.node_of(5), 1);
}

TEST(EmulatedNodes, NothingIsOneNode) { EXPECT_EQ(read_emulated_nodes("").value().nodes(9), 1); }

TEST(EmulatedNodes, RanksAreDealtRoundRobin) {
  const EmulatedNodes nodes = read_emulated_nodes("cyclic:3").value();
  EXPECT_EQ(nodes.most_ranks, 0);
  EXPECT_EQ(parts(nodes, 5), (std::vector<int>{0, 1, 2, 0, 1}));
  EXPECT_EQ(nodes.nodes(2), 2);
  EXPECT_EQ(nodes.nodes(8), 3);
}

TEST(EmulatedNodes, AListNamesTheNodeOfEachRankAndBeginsAgain) {
  const EmulatedNodes nodes = read_emulated_nodes("0,1,1,0,20").value();
  EXPECT_EQ(parts(nodes, 7), (std::vector<int>{0, 1, 1, 0, 20, 0, 1}));
  EXPECT_EQ(nodes.node_of(6), 1);
  EXPECT_EQ(nodes.nodes(1), 1);
  EXPECT_EQ(nodes.nodes(7), 3);
}

TEST(EmulatedNodes, OtherTextsAreRefusedWithWhatIsAllowed) {
  for (const char* text : {"0", "-1", "x", "2x", " 2", "99999999999", "cyclic:", "cyclic:0", "cyclic:2,3",
                           "Cyclic:2", ",", "0,", ",1", "0,,1", "0,-1", "0,1x"}) {
    const auto refused = read_emulated_nodes(text);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_EQ(refused.error().message,
              "COLLIO_RANKS_PER_NODE is \"" + std::string(text) +
                  "\"; allowed: the most ranks of a node (3), cyclic:NODES, or the node of each rank "
                  "(0,1,1,0,2)");
  }
}

}  // namespace
}  // namespace collio::machine
