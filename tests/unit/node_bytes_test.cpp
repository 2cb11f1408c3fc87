// Bytes of nodes in domains, kept where there are any.
#include "policy/aggregators/node_bytes.hpp"

#include <gtest/gtest.h>

#include <random>

namespace collio::policy {
namespace {

using Matrix = core::Matrix<std::int64_t>;

TEST(NodeBytes, HoldsWhatTheMatrixHasBothWays) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  Matrix dense({7, 5});
  std::size_t entries = 0;
  for (std::int64_t& bytes : dense.values()) bytes = dice() % 3 ? 0 : 1 + dice() % 9, entries += bytes > 0;
  const NodeBytes sparse(dense), by_domain = sparse.transposed();
  EXPECT_EQ(sparse.entries(), entries);
  ASSERT_EQ(sparse.rows(), 7);
  ASSERT_EQ(sparse.columns(), 5);
  ASSERT_EQ(by_domain.rows(), 5);
  ASSERT_EQ(by_domain.columns(), 7);
  for (int node = 0; node < 7; ++node)
    for (int d = 0; d < 5; ++d) {
      EXPECT_EQ(sparse(node, d), dense(node, d));
      EXPECT_EQ(by_domain(d, node), dense(node, d));
    }
}

TEST(NodeBytes, RowsCanBeAddedOneByOneAndBeEmpty) {
  NodeBytes bytes(40000);
  bytes.add_row({});
  bytes.add_row(std::vector<DomainBytes>{{3, 10}, {39999, 20}});
  EXPECT_EQ(bytes.rows(), 2);
  EXPECT_EQ(bytes.entries(), 2u) << "and nothing for the other 79998 pairs";
  EXPECT_EQ(bytes(0, 3), 0);
  EXPECT_EQ(bytes(1, 39999), 20);
  EXPECT_EQ(bytes.transposed().row(3).size(), 1u);
  EXPECT_EQ(NodeBytes().rows(), 0);
  EXPECT_EQ(NodeBytes(4).transposed().rows(), 4);
}

TEST(NodeBytes, TheHeaviestStayInOrder) {
  const std::vector<DomainBytes> row{{0, 5}, {2, 9}, {4, 5}, {7, 1}, {8, 6}};
  const auto domains = [](const std::vector<DomainBytes>& of) {
    std::vector<std::int64_t> found;
    for (const DomainBytes& e : of) found.push_back(e.domain);
    return found;
  };
  EXPECT_EQ(domains(heaviest(row, 3)), (std::vector<std::int64_t>{0, 2, 8})) << "the lower of equals";
  EXPECT_EQ(domains(heaviest(row, 3, 8)), (std::vector<std::int64_t>{0, 2, 8}))
      << "no lighter one from there on";
  EXPECT_EQ(domains(heaviest({{0, 7}, {3, 7}, {5, 7}, {6, 7}}, 2, 5)), (std::vector<std::int64_t>{5, 6}));
  EXPECT_EQ(heaviest(row, 5).size(), 5u);
  EXPECT_TRUE(heaviest(row, 0).empty());
}

}  // namespace
}  // namespace collio::policy
