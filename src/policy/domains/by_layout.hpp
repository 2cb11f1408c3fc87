// What the layout of a file says about a call: where domains begin, and how many aggregators write.
//
// A target is served best by few writers, and a stripe by one: file systems lock stripes, and a lock that
// goes from node to node costs the write it guards. So domains begin at stripes, and writes of long stripes
// deal these to as many aggregators as targets, a multiple or a divisor (group-cyclic; Liao & Choudhary,
// SC'08; Kang et al., TPDS 2020, 4.2). Reads share their locks: contiguous domains, longer calls.
#pragma once

#include <cstdint>

#include "core/extent.hpp"
#include "machine/machine.hpp"
#include "policy/hints/hints.hpp"

namespace collio::policy {

/// What settled the cut.
enum class WhyCut {
  /// nothing is known of the file's stripes, or a hint says to ignore them
  unknown_layout,
  /// collio_domains, or another striping_unit than the file's
  hint,
  /// stripes are dealt to aggregators
  dealt,
  /// domains begin at stripes: a read, one node, no count of targets, or one target
  aligned,
  /// as aligned: calls of one stripe each would be too short to deal them
  short_stripes,
  /// as aligned: the call has fewer stripes than aggregators
  few_stripes,
  /// as aligned: no number of aggregators near the wanted one fits the targets
  uneven,
  /// as aligned: cb_nodes, and that number does not fit the targets
  given_number,
  /// not even aligned: that would leave most aggregators without bytes
  long_stripes,
};

struct CutChoice {
  Cut cut = Cut::even;
  std::int64_t alignment_bytes = 1;
  int aggregators = 1;
  /// over which the file is striped, for group_cyclic; 0: not known
  int targets = 0;
  WhyCut why = WhyCut::unknown_layout;
  /// targets of stripes as long as the alignment, for contiguous domains to begin at
  int begins = 1;
};

struct CutQuestion {
  bool write = false;
  core::Extent span;
  /// aggregators, without a look at the layout
  int wanted = 1;
  /// aggregators there may be
  int available = 1;
};

/// Pure. O(available).
[[nodiscard]] CutChoice choose_cut(const CutQuestion& question, const machine::Machine& machine,
                                   const Hints& hints);

/// Aggregators that are a multiple of the targets or divide their number: the least from the wanted number
/// on, up to twice as many; else the most below it, down to half as many. 0: there is none.
struct FittingRequest {
  int targets = 1;
  int wanted = 1;
  int most = 1;
};
[[nodiscard]] int fitting_aggregators(const FittingRequest& request) noexcept;

/// The hints by which a file's aggregators are selected: with the number that fits its targets, where writes
/// will deal stripes and no hint gives a number.
[[nodiscard]] Hints fitted_to_layout(const machine::Machine& machine, Hints hints);

/// The layout to ask for where this job makes a file: what hints say; with collio_striping=auto a target for
/// each node, at most 16. `nodes`: of the job. Pure.
[[nodiscard]] machine::LayoutWish wish_for(const Hints& hints, int nodes, bool folder_has_layout) noexcept;

/// The model of storage on which a file lies like this: its stripes are its blocks, unless they are longer
/// than 64 MiB or no power of two. Replaces an earlier layout. Pure.
[[nodiscard]] machine::StorageModel with_layout(machine::StorageModel model, machine::Layout layout);

}  // namespace collio::policy
