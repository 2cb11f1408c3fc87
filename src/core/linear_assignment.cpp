// See linear_assignment.hpp.
#include "core/linear_assignment.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

#include "core/index.hpp"

namespace collio::core {

namespace {

using Costs = Matrix<std::int64_t>;

constexpr int none = -1;
constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();

/// Invariant between steps: a row that has a column pays the least reduced cost, cost - dual[column], of its
/// row there.
class Assignment {
 public:
  /// The columns have room for all rows.
  Assignment(const Costs& cost, std::vector<int> most_rows)
      : cost_(cost),
        column_of_(at(cost.rows()), none),
        room_(std::move(most_rows)),
        rows_of_(at(cost.columns())),
        dual_(at(cost.columns()), 0) {}

  std::vector<int> solve() {
    std::vector<int> free_rows(at(cost_.rows()));
    std::iota(free_rows.begin(), free_rows.end(), 0);
    // Where rows share a column, a bid of one would raise the price of the others.
    const bool shared = std::ranges::any_of(room_, [](int rows) { return rows != 1; });
    for (int pass = 0; pass < 2 && !shared && !free_rows.empty(); ++pass) free_rows = bid(free_rows);
    for (const int row : free_rows) augment(row);
    return column_of_;
  }

 private:
  struct Best {
    /// columns
    int first = none, second = none;
    std::int64_t first_cost = infinite, second_cost = infinite;
  };

  [[nodiscard]] Best two_best(int row) const {
    Best best;
    const auto costs = cost_.row(row);
    for (int column = 0; column < cost_.columns(); ++column) {
      const std::int64_t reduced = costs[at(column)] - dual_[at(column)];
      if (reduced >= best.second_cost) continue;
      if (reduced < best.first_cost) {
        best.second = best.first, best.second_cost = best.first_cost;
        best.first = column, best.first_cost = reduced;
      } else {
        best.second = column, best.second_cost = reduced;
      }
    }
    return best;
  }

  /// Every free row takes its best column and makes it as dear as its second best; the row that had the
  /// column is free. Returns the rows that are free in the end. Rows that bid against each other may raise a
  /// price in very many small steps: of those outbid only as many bid again at once as there are rows, which
  /// keeps a pass at O(rows * columns).
  std::vector<int> bid(const std::vector<int>& free_rows) {
    std::vector<int> left;
    int turns = cost_.rows();
    for (int row : free_rows) {
      while (row != none) {
        Best best = two_best(row);
        const bool clear = best.second != none && best.first_cost < best.second_cost;
        if (clear)
          dual_[at(best.first)] -= best.second_cost - best.first_cost;
        else if (best.second != none && full(best.first))
          best.first = best.second;
        const int outbid = take(row, best.first);
        const bool again = outbid != none && clear && --turns > 0;
        if (outbid != none && !again) left.push_back(outbid);
        row = again ? outbid : none;
      }
    }
    return left;
  }

  [[nodiscard]] bool full(int column) const noexcept {
    return std::ssize(rows_of_[at(column)]) >= room_[at(column)];
  }

  /// Of a column for one row. Returns the row that had it.
  int take(int row, int column) {
    const int before = full(column) ? std::exchange(rows_of_[at(column)].front(), row) : none;
    if (before != none)
      column_of_[at(before)] = none;
    else
      rows_of_[at(column)].push_back(row);
    column_of_[at(row)] = column;
    return before;
  }

  /// The cheapest alternating path from a free row to a free column: rows on it move to their next columns.
  void augment(int free_row) {
    const std::size_t columns = at(cost_.columns());
    std::vector<std::int64_t> distance(columns, infinite);
    std::vector<int> from(columns, none);  // the row from which a column is reached
    std::vector<int> open(columns), done;  // columns whose distance may still fall; those whose may not
    for (std::size_t c = 0; c < columns; ++c) open[c] = static_cast<int>(c);
    std::int64_t reached = 0;
    std::vector<int> rows{free_row};
    for (int end = none; end == none;) {
      std::size_t next = 0;
      for (const int row : rows) next = relax(Scan{row, reached}, open, distance, from);
      const int column = open[next];
      reached = distance[at(column)];
      open[next] = open.back(), open.pop_back();
      if (full(column)) {
        rows = rows_of_[at(column)];
        done.push_back(column);
      } else {
        end = column;
      }
      if (end != none) move_along(from, end);
    }
    for (const int column : done) dual_[at(column)] += distance[at(column)] - reached;
  }

  /// Rows on the path that ends in a column move to their next columns.
  void move_along(const std::vector<int>& from, int end) {
    for (int column = end; column != none;) {
      const int row = from[at(column)];
      rows_of_[at(column)].push_back(row);
      column = std::exchange(column_of_[at(row)], column);
      if (column != none) std::erase(rows_of_[at(column)], row);
    }
  }

  struct Scan {
    int row;
    /// its distance
    std::int64_t reached;
  };

  /// Ways on from a row. Returns the place in `open` of the nearest column, one with room where there is a
  /// choice.
  std::size_t relax(const Scan& scan, const std::vector<int>& open, std::vector<std::int64_t>& distance,
                    std::vector<int>& from) const {
    const auto costs = cost_.row(scan.row);
    // What the row pays now counts nothing; the free row pays nothing yet, and its ways start at their
    // reduced costs.
    const int own = column_of_[at(scan.row)];
    const std::int64_t base = own == none ? 0 : scan.reached - (costs[at(own)] - dual_[at(own)]);
    std::size_t nearest = 0;
    std::int64_t least = infinite;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const int column = open[i];
      const std::int64_t length = base + costs[at(column)] - dual_[at(column)];
      if (length < distance[at(column)]) distance[at(column)] = length, from[at(column)] = scan.row;
      const std::int64_t now = distance[at(column)];
      if (now < least || (now == least && !full(column) && full(open[nearest]))) {
        least = now;
        nearest = i;
      }
    }
    return nearest;
  }

  const Costs& cost_;
  std::vector<int> column_of_;
  /// of columns
  const std::vector<int> room_;
  std::vector<std::vector<int>> rows_of_;
  std::vector<std::int64_t> dual_;
};

Costs transposed(const Costs& cost) {
  Costs turned({cost.columns(), cost.rows()});
  for (int r = 0; r < cost.rows(); ++r)
    for (int c = 0; c < cost.columns(); ++c) turned(c, r) = cost(r, c);
  return turned;
}

}  // namespace

std::vector<int> assign_rows(const Costs& cost) {
  if (cost.rows() <= cost.columns()) return assign_rows(cost, std::vector<int>(at(cost.columns()), 1));
  const Costs turned = transposed(cost);
  const std::vector<int> row_of_column = assign_rows(turned);
  std::vector<int> column_of_row(at(cost.rows()), none);
  for (std::size_t c = 0; c < row_of_column.size(); ++c)
    column_of_row[at(row_of_column[c])] = static_cast<int>(c);
  return column_of_row;
}

std::vector<int> assign_rows(const Costs& cost, const std::vector<int>& most_rows) {
  assert(std::accumulate(most_rows.begin(), most_rows.end(), std::int64_t{0}) >= cost.rows());
  return Assignment(cost, most_rows).solve();
}

std::int64_t cost_of(const Costs& cost, const std::vector<int>& column_of_row) {
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < column_of_row.size(); ++r)
    if (column_of_row[r] != none) sum += cost(static_cast<int>(r), column_of_row[r]);
  return sum;
}

}  // namespace collio::core
