// The plan of one call: made, or an earlier one's recalled; and what is learnt from how it went.
#pragma once

#include <cstddef>
#include <memory>

#include "access/access.hpp"
#include "engine/call/call.hpp"
#include "engine/file/plan_memory.hpp"

namespace collio::engine {

struct Planned {
  policy::Plan plan;
  std::shared_ptr<policy::ScheduleTrials> schedules;
  /// an earlier call of the same pieces; null: there is none
  PlanMemory::Entry* seen = nullptr;
  /// of its trials
  std::size_t way = 0;
  /// domains were placed for this call, not for an earlier one
  bool placed = false;
};

/// Collective.
[[nodiscard]] Planned plan_of(const Buffers& buffers, const CallRequest& request,
                              const policy::Digest& digest, const access::FileAccess& access);

/// A call that all ranks have agreed on the end of.
struct CompletedCall {
  /// of this rank
  const AccessShape& shape;
  const policy::Digest& digest;
  const Planned& planned;
  const transport::Outcome& outcome;
};

/// Remembers a call that went well, or what it tells of the ways a remembered one can go; a way on trial that
/// failed is left. Local; all ranks do it, in the same order, but that windows for one-sided transfers that
/// are given up are freed, which is Collective.
void learn_from(const Buffers& buffers, const CompletedCall& done);

}  // namespace collio::engine
