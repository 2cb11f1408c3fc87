// What a job wants of a cut file: bytes and messages of every node for every domain, from what its ranks
// access.
//
// A rank's access is a few patterns, each in ascending order. A walk jumps from one window to the next that
// the pattern touches, so it takes O(windows touched) for regular patterns, however many pieces they have.
#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "core/cursor.hpp"
#include "core/matrix.hpp"
#include "core/pattern.hpp"
#include "policy/domains/domains.hpp"
#include "policy/domains/file_cuts.hpp"

namespace collio::simulate {

/// Ranks on nodes, in blocks, and which bytes of the file each of them has.
struct Job {
  int ranks = 1;
  int ranks_per_node = 1;
  /// first to last byte of all ranks
  core::Extent span;
  /// each ascending; together no byte twice
  std::function<std::vector<core::Pattern>(int rank)> access;

  [[nodiscard]] int nodes() const noexcept { return (ranks + ranks_per_node - 1) / ranks_per_node; }
  [[nodiscard]] int node_of(int rank) const noexcept { return rank / ranks_per_node; }
  [[nodiscard]] int ranks_on(int node) const noexcept {
    return node + 1 < nodes() ? ranks_per_node : ranks - node * ranks_per_node;
  }
};

/// The bytes that an aggregator serves in one round, as far as they are contiguous.
struct WindowPart {
  int domain = 0;
  std::int64_t round = 0;
  /// first byte behind the contiguous part that contains the offset asked for
  std::int64_t end = 0;
};

/// A cut of any kind, and the windows of its domains.
class CutFile {
 public:
  explicit CutFile(const policy::Domains& even);
  CutFile(policy::ContiguousDomains cut, std::int64_t window_bytes)
      : cut_(std::move(cut)), window_bytes_(window_bytes) {}
  CutFile(const policy::CyclicDomains& cut, std::int64_t window_bytes)
      : cut_(cut), window_bytes_(window_bytes) {}

  [[nodiscard]] int domains() const noexcept;
  /// Of a byte of the span. O(log domains).
  [[nodiscard]] WindowPart window(std::int64_t offset) const noexcept;

 private:
  std::variant<policy::ContiguousDomains, policy::CyclicDomains> cut_;
  std::int64_t window_bytes_;
};

/// Visits the windows a pattern has bytes of: visit(WindowPart, bytes); of a cyclic cut's rounds each part is
/// visited for itself.
template <class Visit>
void walk(const CutFile& cut, const core::Pattern& pattern, Visit&& visit) {
  core::Cursor cursor(pattern);
  while (!cursor.at_end()) {
    const WindowPart window = cut.window(cursor.offset());
    const std::int64_t before = cursor.stream();
    cursor.seek_offset(window.end);
    visit(window, cursor.stream() - before);
  }
}

/// Of a job and a cut: [node][domain].
struct Demand {
  core::Matrix<std::int64_t> bytes;
  /// pairs of a rank of the node and a round: what two_phase sends
  core::Matrix<std::int64_t> rank_messages;
  /// rounds: what two_layer sends, one local aggregator a node
  core::Matrix<std::int64_t> node_messages;
  /// until the last window of the domain that has most
  std::int64_t rounds = 0;
};

/// O(windows that ranks touch); memory O(nodes * domains + windows).
[[nodiscard]] Demand demand_of(const Job& job, const CutFile& cut);

/// The job's bytes in `regions` regions of equal length. O(regions that ranks touch).
[[nodiscard]] policy::Histogram histogram_of(const Job& job, int regions);

}  // namespace collio::simulate
