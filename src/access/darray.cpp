// See darray.hpp. MPI 3.1, section 4.1.4: dimension by dimension, fastest first, each process takes its
// blocks of the dimension; the process grid is always row-major.
#include "access/darray.hpp"

#include <algorithm>
#include <limits>

#include "core/cursor.hpp"

namespace collio::access {

namespace {

using core::Pattern;

/// One dimension of a darray, in elements of the next faster one.
struct Dimension {
  std::int64_t size = 0;
  int distribution = MPI_DISTRIBUTE_NONE;
  std::int64_t argument = MPI_DISTRIBUTE_DFLT_DARG;
  std::int64_t processes = 1;
  std::int64_t coordinate = 0;

  [[nodiscard]] std::int64_t block() const noexcept {
    if (distribution == MPI_DISTRIBUTE_NONE) return size;
    if (argument != MPI_DISTRIBUTE_DFLT_DARG) return argument;
    return distribution == MPI_DISTRIBUTE_BLOCK ? (size + processes - 1) / processes : 1;
  }
};

Pattern join(const Pattern& first, const Pattern& second) {
  return Pattern(core::pack_runs([&](auto&& sink) {
    for (const Pattern* part : {&first, &second}) {
      core::Cursor cursor(*part);
      for (core::Run run; cursor.next_bytes(std::numeric_limits<std::int64_t>::max(), run);) sink(run);
    }
  }));
}

/// This process's part of one dimension whose elements are `element`, `stride` bytes apart.
Pattern along(const Dimension& d, const Pattern& element, std::int64_t stride) {
  const std::int64_t block = d.block();
  const std::int64_t first = d.distribution == MPI_DISTRIBUTE_NONE ? 0 : d.coordinate * block;
  const std::int64_t left = d.size - first;
  if (left <= 0) return {};
  if (d.distribution != MPI_DISTRIBUTE_CYCLIC)
    return element.repeated({std::min(block, left), stride}).shifted(first * stride);
  const std::int64_t cycle = block * d.processes;
  const std::int64_t full = (left - block >= 0) ? (left - block) / cycle + 1 : 0;
  const std::int64_t rest = std::clamp<std::int64_t>(left - full * cycle, 0, block);
  Pattern blocks = element.repeated({block, stride}).repeated({full, cycle * stride}).shifted(first * stride);
  if (rest == 0) return blocks;
  Pattern last = element.repeated({rest, stride}).shifted((first + full * cycle) * stride);
  return full == 0 ? last : join(blocks, last);
}

}  // namespace

core::Result<Pattern> darray_pattern(const TypeLayout& child, const TypeContents& c) {
  const auto n = static_cast<std::size_t>(c.small(2));
  const bool large = c.large();
  const std::size_t sizes = 3, distributions = large ? 3 : 3 + n;
  std::vector<Dimension> dims(n);
  std::int64_t rank = c.small(1), processes = c.small(0);
  for (std::size_t i = 0; i < n; ++i) {
    Dimension& d = dims[i];
    d.size = large ? c.count(i) : std::int64_t{c.small(sizes + i)};
    d.distribution = c.small(distributions + i);
    d.argument = c.small(distributions + n + i);
    d.processes = c.small(distributions + 2 * n + i);
    processes /= d.processes;
    d.coordinate = rank / processes;
    rank %= processes;
  }
  const bool fortran = c.small(distributions + 3 * n) == MPI_ORDER_FORTRAN;
  Pattern p = child.pattern;
  std::int64_t stride = child.extent;
  for (std::size_t k = 0; k < n; ++k) {
    const Dimension& d = dims[fortran ? k : n - 1 - k];
    p = along(d, p, stride);
    stride *= d.size;
  }
  return p;
}

}  // namespace collio::access
