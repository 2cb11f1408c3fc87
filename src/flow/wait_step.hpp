// What a wait does next: a decision without a clock.
//
// A wait first polls a few times, then gives its time slice away between polls, then naps, each time for a
// sixteenth of what it has waited so far, up to a limit, which is higher where many ranks share a core: their
// polls alone could fill it. Where every rank has a core of its own it yields for longer: nobody needs the
// core, and a nap would only add to the latency.
//
// A reduction goes along a tree of ranks, of which each waits for the one before: their naps add up, to 3 to
// 6 ms among 1024 nodes by a model. So where cores are free it polls for a tenth of a second, as the MPI
// library does for ever, and naps for a two-thousandth of its time after that.
#pragma once

#include <cstdint>

namespace collio::flow {

/// What decides how a wait goes on.
struct WaitSoFar {
  /// that found nothing, since the last that did
  std::int64_t polls = 1;
  /// since the first of these
  double waited_s = 0;
  /// ranks of the node for each core they may use
  double ranks_per_core = 1;
  /// see set_beside_program()
  bool beside_program = false;
  /// for a part of a reduction
  bool reduces = false;
  /// naps are no longer than this; 0: by the ranks of a core
  double longest_nap_s = 0;
};

/// What a wait does when a poll found nothing.
struct WaitStep {
  enum What { poll, yield, nap } what = poll;
  /// of a nap
  double nap_s = 0;
};
/// Pure.
[[nodiscard]] WaitStep next_step(const WaitSoFar& so_far) noexcept;
/// The first nap of a wait begins then, a few polls and yields aside. Pure.
[[nodiscard]] double naps_after_s(const WaitSoFar& so_far) noexcept;

}  // namespace collio::flow
