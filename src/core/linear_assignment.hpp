// Linear assignment: a different column for every row, so that the chosen elements have the least sum.
//
// Shortest augmenting paths with dual variables (Jonker & Volgenant, Computing 38, 1987): rows first bid for
// their best columns (their "augmenting row reduction"), and each row that is left then takes the cheapest
// way of moving others aside (Dijkstra over reduced costs). Their first step, column reduction, is left out:
// it is not right where there are more columns than rows. A column's dual variable starts at 0 and only falls
// once the column is taken, and a column once taken stays taken; so free columns have the largest one, which
// is what a rectangular optimum needs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/matrix.hpp"

namespace collio::core {

/// Column of every row; with more rows than columns -1 for the rows that are left out. Elements may be
/// negative, none beyond 2^60 / rows either way. Which of several equally good assignments is fixed by the
/// elements alone. O(n^2 m) for n the smaller and m the larger of rows and columns; memory O(n + m), and a
/// copy where it has to be transposed.
[[nodiscard]] std::vector<int> assign_rows(const Matrix<std::int64_t>& cost);

/// The same where a column may have several rows: at most as many as its element of `most_rows`, which
/// together are no fewer than there are rows. O(rows^2 columns).
[[nodiscard]] std::vector<int> assign_rows(const Matrix<std::int64_t>& cost,
                                           const std::vector<int>& most_rows);

/// Sum of the chosen elements.
[[nodiscard]] std::int64_t cost_of(const Matrix<std::int64_t>& cost, const std::vector<int>& column_of_row);

}  // namespace collio::core
