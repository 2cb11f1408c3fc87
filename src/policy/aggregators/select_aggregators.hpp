// Policies that say which ranks aggregate from the machine alone, and how many there are.
//
// policy/aggregators/aggregators has the default, which is one of them. Those that also look at the bytes of
// a call are in policy/elect_aggregators.
#pragma once

#include <vector>

#include "policy/aggregators/aggregators.hpp"
#include "policy/hints/choices.hpp"

namespace collio::policy {

enum class Counting {
  /// as many as a policy may place
  automatic,
  /// cb_nodes; automatic where it is not given
  hint,
  /// the file's stripes, so that each has one writer (group-cyclic domains); automatic where they are not
  /// known
  stripes,
};

struct SelectionRequest {
  const machine::Machine& machine;
  const Hints& hints;
  Counting counting = Counting::hint;
  /// of the file; 0: not known
  int stripes = 0;
};

/// Aggregators there will be, never none. With `stripes` more than a policy may place it is the most that
/// divide their number, so that every aggregator has as many of them as the others. Pure. O(nodes).
[[nodiscard]] int count_aggregators(Selection selection, const SelectionRequest& request);

/// Seats of all aggregators, in domain order. Never empty. Where fewer are wanted than a policy may place,
/// round_robin leaves out the last nodes; the others leave out nodes evenly (deal_evenly). Pure.
/// O(nodes + aggregators).
[[nodiscard]] std::vector<Seat> select_aggregators(Selection selection, const SelectionRequest& request);

}  // namespace collio::policy
