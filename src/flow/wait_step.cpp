// See wait_step.hpp.
#include "flow/wait_step.hpp"

#include <algorithm>

namespace collio::flow {

namespace {

constexpr std::int64_t polls_at_once = 4;
constexpr std::int64_t yields_crowded =
    8;  // over TCP a poll is dear: a rank with nothing to do must leave the cores soon
// By the clock: where another job has the core, a yield may take milliseconds.
constexpr double yield_alone_s = 200e-6, yield_in_reduction_s = 0.1;
constexpr double shortest_in_reduction_s = 50e-6;
/// Of the time waited so far: a rank that is seconds late may be later by a thousandth.
constexpr double share_in_reduction = 0.0005;
constexpr double shortest_nap_s = 10e-6;
constexpr double nap_share =
    0.0625;  // of the time waited so far: what comes is seen at most a sixteenth of its wait late

/// With more, naps get longer: 64 ranks on 2 cores wrote in 5.9 s with naps of 0.64 ms at most, in 4.1 s with
/// 5 ms.
constexpr double few_ranks_per_core = 4;
constexpr double longest_nap_s = 640e-6;
/// With more, one yield goes round many ranks, and naps begin longer: the same write took 3.2 s with the
/// yields and naps of fewer ranks, 2.75 s with these.
constexpr double many_ranks_per_core = 8;

bool yields(const WaitSoFar& s) noexcept {
  if (s.beside_program) return false;
  if (s.ranks_per_core <= 1) return s.waited_s < naps_after_s(s);
  return s.polls <= polls_at_once + (s.ranks_per_core > many_ranks_per_core ? 1 : yields_crowded);
}

double nap_s(const WaitSoFar& s) noexcept {
  if (s.reduces && !s.beside_program && s.ranks_per_core <= 1)
    return std::clamp(share_in_reduction * s.waited_s, shortest_in_reduction_s, longest_nap_s);
  const double longest_s = s.longest_nap_s > 0
                               ? s.longest_nap_s
                               : longest_nap_s * std::max(1.0, s.ranks_per_core / few_ranks_per_core);
  const double shortest_s =
      shortest_nap_s * (s.ranks_per_core > many_ranks_per_core ? s.ranks_per_core / few_ranks_per_core : 1);
  return std::clamp(nap_share * s.waited_s, std::min(shortest_s, longest_s), longest_s);
}

}  // namespace

double naps_after_s(const WaitSoFar& s) noexcept {
  if (s.beside_program || s.ranks_per_core > 1) return 0;
  return s.reduces ? yield_in_reduction_s : yield_alone_s;
}

WaitStep next_step(const WaitSoFar& so_far) noexcept {
  if (so_far.polls <= polls_at_once) return {};
  if (yields(so_far)) return {WaitStep::yield};
  return {WaitStep::nap, nap_s(so_far)};
}

}  // namespace collio::flow
