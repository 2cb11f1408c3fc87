// Linear assignment: against all placements of small matrices, and shapes at the edge. tests/python compares
// with SciPy.
#include "core/linear_assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace collio::core {
namespace {

using Costs = Matrix<std::int64_t>;

Costs matrix_of(std::initializer_list<std::initializer_list<std::int64_t>> rows) {
  Costs m({static_cast<int>(rows.size()), static_cast<int>(rows.begin()->size())});
  int r = 0;
  for (const auto& row : rows) std::copy(row.begin(), row.end(), m.row(r++).begin());
  return m;
}

/// All ways to give the rows, or of more rows than columns the columns, a partner.
std::int64_t least_of_all(const Costs& m) {
  const bool wide = m.rows() <= m.columns();
  std::vector<int> partners(static_cast<std::size_t>(std::max(m.rows(), m.columns())));
  std::iota(partners.begin(), partners.end(), 0);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  do {
    std::int64_t sum = 0;
    for (int i = 0; i < std::min(m.rows(), m.columns()); ++i) {
      const int partner = partners[static_cast<std::size_t>(i)];
      sum += wide ? m(i, partner) : m(partner, i);
    }
    least = std::min(least, sum);
  } while (std::next_permutation(partners.begin(), partners.end()));
  return least;
}

TEST(LinearAssignment, TakesTheLeastSumNotTheLeastElements) {
  EXPECT_EQ(assign_rows(matrix_of({{1, 2}, {1, 10}})), (std::vector<int>{1, 0}));
  EXPECT_EQ(assign_rows(matrix_of({{4, 1, 3}, {2, 0, 5}, {3, 2, 2}})), (std::vector<int>{1, 0, 2}));
}

TEST(LinearAssignment, LeavesColumnsOrRowsOut) {
  EXPECT_EQ(assign_rows(matrix_of({{5, 4, 3, 9}, {5, 9, 3, 9}})), (std::vector<int>{1, 2}));
  EXPECT_EQ(assign_rows(matrix_of({{5, 7}, {1, 1}, {2, 9}})), (std::vector<int>{-1, 1, 0}));
  EXPECT_EQ(assign_rows(matrix_of({{3}, {-1}, {2}})), (std::vector<int>{-1, 0, -1}));
  EXPECT_TRUE(assign_rows(Costs({0, 3})).empty());
  EXPECT_EQ(assign_rows(Costs({2, 0})), (std::vector<int>{-1, -1}));
}

TEST(LinearAssignment, ColumnsWithSeveralRowsAreAsManyEqualColumns) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  for (int trial = 0; trial < 2000; ++trial) {
    const int columns = 1 + static_cast<int>(dice() % 6);
    std::vector<int> most_rows, column_of_copy;
    for (int c = 0; c < columns; ++c) {
      most_rows.push_back(1 + static_cast<int>(dice() % 4));
      column_of_copy.insert(column_of_copy.end(), static_cast<std::size_t>(most_rows.back()), c);
    }
    const int copies = static_cast<int>(column_of_copy.size());
    Costs m({1 + static_cast<int>(dice() % static_cast<unsigned>(copies)), columns});
    for (std::int64_t& cost : m.values()) cost = static_cast<int>(dice() % (trial % 3 ? 1000 : 3)) - 1;
    Costs copied({m.rows(), copies});
    for (int r = 0; r < m.rows(); ++r)
      for (int c = 0; c < copies; ++c) copied(r, c) = m(r, column_of_copy[static_cast<std::size_t>(c)]);
    const std::vector<int> taken = assign_rows(m, most_rows);
    ASSERT_EQ(cost_of(m, taken), cost_of(copied, assign_rows(copied)));
    for (int c = 0; c < columns; ++c)
      ASSERT_LE(std::ranges::count(taken, c), most_rows[static_cast<std::size_t>(c)]);
  }
}

TEST(LinearAssignment, CostsWhatTheBestOfAllPlacementsCosts) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  for (int trial = 0; trial < 3000; ++trial) {
    Costs m({1 + static_cast<int>(dice() % 6), 1 + static_cast<int>(dice() % 6)});
    const std::int64_t most = trial % 3 == 0 ? 3 : 1 << 20;  // many ties, or few
    for (std::int64_t& element : m.values())
      element = static_cast<std::int64_t>(dice() % static_cast<unsigned>(most)) - (trial % 2) * most / 2;
    const std::vector<int> columns = assign_rows(m);
    std::set<int> taken(columns.begin(), columns.end());
    taken.erase(-1);
    ASSERT_EQ(static_cast<int>(taken.size()), std::min(m.rows(), m.columns()));
    ASSERT_EQ(cost_of(m, columns), least_of_all(m)) << m.rows() << " rows, " << m.columns() << " columns";
  }
}

}  // namespace
}  // namespace collio::core
