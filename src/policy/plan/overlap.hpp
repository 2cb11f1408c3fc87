// How an aggregator runs its rounds: what goes on at the same time, over how many buffers.
//
// A round is an exchange (the messages of a window) and a storage step (the window's bytes to or from the
// file). Feki and Gabriel ("On Overlapping Communication and File I/O in Collective Write Operation", 2020)
// compare four ways to overlap the rounds over two buffers; here each is a row of the same few numbers, and
// so is collio's own, for any number of buffers.
#pragma once

#include <string>

#include "machine/machine.hpp"
#include "policy/hints/hints.hpp"

namespace collio::policy {

/// What settled the schedule.
enum class WhyOverlap {
  hint,
  /// storage steps proceed while messages come
  asynchronous_storage,
  /// storage calls block, messages between nodes come meanwhile
  messages_proceed,
  /// storage calls block, and there is one node
  nothing_proceeds,
};

struct Overlap {
  Schedule schedule = Schedule::none;
  /// windows in memory at a time; together at most the collective buffer
  int buffers = 1;
  /// windows whose messages come at a time
  int exchanging = 1;
  /// storage steps are started and looked after, else each holds the rank until it is over
  bool storage_goes_on = false;
  /// one storage step and one exchange begin together, and both end before the next pair
  bool in_pairs = false;
  /// buffers are taken in turn, else whichever is free
  bool in_turn = true;
  WhyOverlap why = WhyOverlap::nothing_proceeds;
};

/// A row of the table; `buffers` windows in memory, but one for `none`.
[[nodiscard]] Overlap overlap_of(Schedule schedule, int buffers);

/// Pure.
[[nodiscard]] Overlap choose_overlap(const machine::Machine& machine, const Hints& hints);

/// "; rounds: dataflow over 2 buffers, as ..."; for the report.
[[nodiscard]] std::string overlap_text(const Overlap& overlap);

}  // namespace collio::policy
