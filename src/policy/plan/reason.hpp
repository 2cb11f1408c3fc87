// Why a call goes the way it goes: values for decisions and tests. The report's text is made of them by
// reason_text() (plan.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "policy/domains/by_layout.hpp"

namespace collio::policy {

/// What settled the path.
enum class Why {
  no_bytes,     ///< no rank has bytes to move
  undescribed,  ///< collio cannot describe a datatype or view of some ranks
  unordered,    ///< file pieces of some ranks are not in ascending order
  hint,
  trials,
  estimates,
};

/// Why pieces do not meet in their node's shared memory first.
enum class OneLayer {
  no,  ///< they do, or nobody asked
  no_node_memory,
  one_rank,
  all_aggregate,   ///< every rank is a local aggregator
  sparse,          ///< too few bytes of the span are accessed
  holes_not_read,  ///< the hint forbids reading holes
  many_teams,      ///< more local aggregators on a node than slots serve
  slower,          ///< handling pieces once more costs more than the messages it saves
};

/// What a file lacks of what a path, or shared memory, needs.
enum class Lack {
  nothing,
  handles,      ///< on every rank: ranks that do not aggregate cannot access the file
  node_memory,  ///< shared by the ranks of a node
};
[[nodiscard]] std::string_view lack_text(Lack lack) noexcept;

struct Reason {
  Why why = Why::estimates;
  OneLayer one_layer = OneLayer::no;
  Lack lacking = Lack::nothing;
  std::int64_t ranks = 0;               ///< undescribed, unordered: how many
  std::int64_t pieces = 0;              ///< of all ranks
  std::int64_t piece_bytes = 0;         ///< on average
  bool equal_pieces = false;            ///< each has just as many bytes
  std::int64_t sparsest = 0;            ///< sparse: at least 1/sparsest of the span must be accessed
  std::int64_t local_aggregators = 0;   ///< of estimates for two layers
  bool fewest_messages = false;         ///< one local aggregator a node, as that sends the fewest messages
  std::int64_t memory_limit_bytes = 0;  ///< collio_memory_limit, 0: none
  std::int64_t window_bytes = 0;        ///< most, within that limit
  WhyCut cut = WhyCut::unknown_layout;  ///< what settled where domains begin
  std::int64_t unit_bytes = 0;          ///< of stripes
  std::int64_t targets = 0;             ///< over which the file is striped; 0: not known
  std::int64_t added_stripes = 0;       ///< by which domains are longer, to begin on more targets
  bool masks = false;                   ///< a second attempt with masks, as pieces overlap and leave holes

  [[nodiscard]] bool operator==(const Reason&) const noexcept = default;
};

}  // namespace collio::policy
