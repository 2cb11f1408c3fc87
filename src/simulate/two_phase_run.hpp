// collio's two_phase in virtual time: every aggregator goes through its windows by itself, a few of them at a
// time, and ranks send to those that are open.
#pragma once

#include "simulate/call.hpp"

namespace collio::simulate {

/// `call`: with path two_phase. O(pairs of a rank and a window, with a sort of each window's).
[[nodiscard]] Outcome run_two_phase(const CallSetting& setting, const PlannedCall& call);

}  // namespace collio::simulate
