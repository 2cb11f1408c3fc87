// See node_bytes.hpp.
#include "policy/aggregators/node_bytes.hpp"

#include <numeric>
#include <tuple>

#include "core/index.hpp"

namespace collio::policy {

using core::at;

NodeBytes::NodeBytes(const core::Matrix<std::int64_t>& dense) : columns_(dense.columns()) {
  for (int node = 0; node < dense.rows(); ++node) {
    const auto row = dense.row(node);
    for (std::size_t d = 0; d < row.size(); ++d)
      if (row[d] != 0) entries_.push_back({static_cast<std::int64_t>(d), row[d]});
    begins_.push_back(entries_.size());
  }
}

void NodeBytes::add_row(std::span<const Entry> row) {
  entries_.insert(entries_.end(), row.begin(), row.end());
  begins_.push_back(entries_.size());
}

NodeBytes NodeBytes::transposed() const {
  NodeBytes by_domain(rows());
  by_domain.begins_.assign(at(columns_) + 1, 0);
  by_domain.entries_.resize(entries_.size());
  std::vector<std::size_t>& begins = by_domain.begins_;
  for (const Entry& e : entries_) ++begins[at(e.domain) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
  for (int node = 0; node < rows(); ++node)
    for (const Entry& e : row(node)) by_domain.entries_[next[at(e.domain)]++] = {node, e.bytes};
  return by_domain;
}

std::vector<DomainBytes> heaviest(std::vector<DomainBytes> row, std::size_t most, std::int64_t first) {
  if (row.size() <= most) return row;
  std::ranges::nth_element(
      row, row.begin() + static_cast<std::ptrdiff_t>(most), {},
      [first](const DomainBytes& e) { return std::tuple(-e.bytes, e.domain < first, e.domain); });
  row.resize(most);
  std::ranges::sort(row, {}, &DomainBytes::domain);
  return row;
}

}  // namespace collio::policy
