// Why a call goes the way it goes: values for decisions and tests. The report's text is made of them by
// reason_text() (plan.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "policy/domains/by_layout.hpp"

namespace collio::policy {

/// What settled the path.
enum class Why {
  /// no rank has bytes to move
  no_bytes,
  /// collio cannot describe a datatype or view of some ranks
  undescribed,
  /// file pieces of some ranks are not in ascending order
  unordered,
  hint,
  trials,
  estimates,
};

/// Why pieces do not meet in their node's shared memory first.
enum class OneLayer {
  /// they do, or nobody asked
  no,
  no_node_memory,
  one_rank,
  /// every rank is a local aggregator
  all_aggregate,
  /// too few bytes of the span are accessed
  sparse,
  /// the hint forbids reading holes
  holes_not_read,
  /// more local aggregators on a node than slots serve
  many_teams,
  /// handling pieces once more costs more than the messages it saves
  slower,
};

/// What a file lacks of what a path, or shared memory, needs.
enum class Lack {
  nothing,
  /// on every rank: ranks that do not aggregate cannot access the file
  handles,
  /// shared by the ranks of a node
  node_memory,
};
[[nodiscard]] std::string_view lack_text(Lack lack) noexcept;

struct Reason {
  Why why = Why::estimates;
  OneLayer one_layer = OneLayer::no;
  Lack lacking = Lack::nothing;
  /// undescribed, unordered: how many
  std::int64_t ranks = 0;
  /// of all ranks
  std::int64_t pieces = 0;
  /// on average
  std::int64_t piece_bytes = 0;
  /// each has just as many bytes
  bool equal_pieces = false;
  /// sparse: at least 1/sparsest of the span must be accessed
  std::int64_t sparsest = 0;
  /// of estimates for two layers
  std::int64_t local_aggregators = 0;
  /// one local aggregator a node, as that sends the fewest messages
  bool fewest_messages = false;
  /// collio_memory_limit, 0: none
  std::int64_t memory_limit_bytes = 0;
  /// most, within that limit
  std::int64_t window_bytes = 0;
  /// what settled where domains begin
  WhyCut cut = WhyCut::unknown_layout;
  /// of stripes
  std::int64_t unit_bytes = 0;
  /// over which the file is striped; 0: not known
  std::int64_t targets = 0;
  /// by which domains are longer, to begin on more targets
  std::int64_t added_stripes = 0;
  /// a second attempt with masks, as pieces overlap and leave holes
  bool masks = false;

  [[nodiscard]] bool operator==(const Reason&) const noexcept = default;
};

}  // namespace collio::policy
