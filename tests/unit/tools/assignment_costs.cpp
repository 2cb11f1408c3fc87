// Reads matrices, "ROWS COLUMNS" and then their elements row by row, and prints for each of them the cost of
// the linear assignment that collio finds, and the column of every row (-1: none). tests/python compares them
// with SciPy's.
#include <cstdint>
#include <iostream>

#include "core/linear_assignment.hpp"

int main() {
  std::ios::sync_with_stdio(false);
  for (collio::core::Matrix<std::int64_t>::Shape shape; std::cin >> shape.rows >> shape.columns;) {
    collio::core::Matrix<std::int64_t> cost(shape);
    for (std::int64_t& element : cost.values())
      if (!(std::cin >> element)) return std::cerr << "a matrix ends early\n", 1;
    const std::vector<int> column_of_row = collio::core::assign_rows(cost);
    std::cout << collio::core::cost_of(cost, column_of_row);
    for (const int column : column_of_row) std::cout << ' ' << column;
    std::cout << '\n';
  }
}
