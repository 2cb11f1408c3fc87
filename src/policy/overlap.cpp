// See overlap.hpp.
#include "policy/overlap.hpp"

#include <algorithm>

namespace collio::policy {

namespace {

/// `buffers`: those of collio_buffers.
Overlap overlap_of(Schedule schedule, int buffers) {
  switch (schedule) {
    case Schedule::communication: return {schedule, buffers, buffers, false, false, true, ""};
    case Schedule::write: return {schedule, buffers, 1, true, false, true, ""};
    case Schedule::write_communication: return {schedule, buffers, 1, true, true, true, ""};
    case Schedule::write_communication_2: return {schedule, buffers, buffers, true, false, true, ""};
    case Schedule::dataflow: return {schedule, buffers, buffers, true, false, false, ""};
    case Schedule::automatic:
    case Schedule::none: break;
  }
  return {Schedule::none, 1, 1, false, false, true, ""};
}

}  // namespace

Overlap choose_overlap(const machine::StorageModel& storage, const Hints& hints) {
  const bool asked = hints.schedule != Schedule::automatic;
  const Schedule best = storage.overlaps ? Schedule::dataflow : Schedule::none;
  const auto most = static_cast<int>(std::min<std::int64_t>(hints.buffers, hints.buffer_bytes));
  Overlap overlap = overlap_of(asked ? hints.schedule : best, most);
  if (asked)
    overlap.reason = "asked for by hint";
  else
    overlap.reason = storage.overlaps ? "storage calls go on by themselves" : "storage calls hold the caller, nothing to overlap";
  return overlap;
}

std::string overlap_text(const Overlap& overlap) {
  std::string text = "; rounds: ";
  text += name_of(overlap.schedule);
  if (overlap.buffers > 1) text += " over " + std::to_string(overlap.buffers) + " buffers";
  return text + ", " + overlap.reason;
}

}  // namespace collio::policy
