// How many bytes each node of a job has in each file domain, where it has any: what elections and placements
// look at.
//
// A node of a large job has bytes in few of the domains, so a matrix of all pairs would be mostly zeros: at
// 10,000 nodes and 40,000 domains 3.2 GB of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/index.hpp"
#include "core/matrix.hpp"

namespace collio::policy {

/// A node's bytes in a domain.
struct DomainBytes {
  std::int64_t domain = 0, bytes = 0;
};

/// Rows of nodes, each with the domains it has bytes in. Memory O(entries + rows).
class NodeBytes {
 public:
  using Entry = DomainBytes;

  NodeBytes() = default;
  /// No rows yet.
  explicit NodeBytes(int columns) : columns_(columns) {}
  /// Of [node][domain], without the zeros. O(rows * columns).
  NodeBytes(const core::Matrix<std::int64_t>& dense);

  /// Of the next node; domains ascend. O(entries).
  void add_row(std::span<const Entry> row);

  [[nodiscard]] int rows() const noexcept { return static_cast<int>(begins_.size()) - 1; }
  [[nodiscard]] int columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t entries() const noexcept { return entries_.size(); }
  /// Domains ascend.
  [[nodiscard]] std::span<const Entry> row(int node) const noexcept {
    const std::size_t begin = begins_[core::at(node)];
    return std::span(entries_).subspan(begin, begins_[core::at(node) + 1] - begin);
  }
  /// O(log entries of the row).
  [[nodiscard]] std::int64_t operator()(int node, int domain) const noexcept {
    const auto in = row(node);
    const auto found = std::ranges::lower_bound(in, domain, {}, &Entry::domain);
    return found != in.end() && found->domain == domain ? found->bytes : 0;
  }
  /// Rows of domains, each with the nodes that have bytes in it, as `domain` of its entries. O(entries + rows
  /// + columns).
  [[nodiscard]] NodeBytes transposed() const;

 private:
  int columns_ = 0;
  /// of rows, and the last one's end
  std::vector<std::size_t> begins_{0};
  std::vector<Entry> entries_;
};

/// The `most` entries with most bytes; of equals those from domain `first` on, then the lowest: nodes with
/// other first ones keep other domains. Domains ascend. O(entries).
[[nodiscard]] std::vector<DomainBytes> heaviest(std::vector<DomainBytes> row, std::size_t most,
                                                std::int64_t first = 0);

}  // namespace collio::policy
