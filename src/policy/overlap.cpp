// See overlap.hpp.
#include "policy/overlap.hpp"

#include <algorithm>

namespace collio::policy {

Overlap overlap_of(Schedule schedule, int buffers) {
  switch (schedule) {
    case Schedule::communication:
      return {schedule, buffers, buffers, false, false, true, ""};
    case Schedule::write:
      return {schedule, buffers, 1, true, false, true, ""};
    case Schedule::write_communication:
      return {schedule, buffers, 1, true, true, true, ""};
    case Schedule::write_communication_2:
      return {schedule, buffers, buffers, true, false, true, ""};
    // Windows that share a link fill together: were all buffers filling, all would be written together, and
    // the link rest.
    case Schedule::dataflow:
      return {schedule, buffers, std::max(1, buffers - 1), true, false, false, ""};
    case Schedule::automatic:
    case Schedule::none:
      break;
  }
  return {Schedule::none, 1, 1, false, false, true, ""};
}

Overlap choose_overlap(const machine::Machine& machine, const Hints& hints) {
  const auto most = static_cast<int>(std::min<std::int64_t>(hints.buffers, hints.buffer_bytes));
  if (hints.schedule != Schedule::automatic) {
    Overlap overlap = overlap_of(hints.schedule, most);
    overlap.reason = "asked for by hint";
    return overlap;
  }
  Overlap overlap = overlap_of(Schedule::none, most);
  overlap.reason = "storage calls hold the caller, nothing to overlap";
  if (machine.storage.overlaps) {
    overlap = overlap_of(Schedule::dataflow, most);
    overlap.reason = "storage calls go on by themselves";
  } else if (machine.nodes.size() > 1) {
    overlap = overlap_of(Schedule::communication, most);
    overlap.reason = "storage calls hold the caller, messages between nodes go on";
  }
  return overlap;
}

std::string overlap_text(const Overlap& overlap) {
  std::string text = "; rounds: ";
  text += name_of(overlap.schedule);
  if (overlap.buffers > 1) text += " over " + std::to_string(overlap.buffers) + " buffers";
  return text + ", " + overlap.reason;
}

}  // namespace collio::policy
