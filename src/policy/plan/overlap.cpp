// See overlap.hpp.
#include "policy/plan/overlap.hpp"

#include <algorithm>

namespace collio::policy {

namespace {

std::string_view why_text(WhyOverlap why) {
  switch (why) {
    case WhyOverlap::hint:
      return "asked for by hint";
    case WhyOverlap::asynchronous_storage:
      return "storage calls are asynchronous";
    case WhyOverlap::messages_proceed:
      return "storage calls block, messages between nodes do not";
    case WhyOverlap::nothing_proceeds:
      return "storage calls block and all ranks share a node: nothing to overlap";
  }
  return "?";
}

}  // namespace

Overlap overlap_of(Schedule schedule, int buffers) {
  switch (schedule) {
    case Schedule::communication:
      return {.schedule = schedule, .buffers = buffers, .exchanging = buffers};
    case Schedule::write:
      return {.schedule = schedule, .buffers = buffers, .storage_goes_on = true};
    case Schedule::write_communication:
      return {.schedule = schedule, .buffers = buffers, .storage_goes_on = true, .in_pairs = true};
    case Schedule::write_communication_2:
      return {.schedule = schedule, .buffers = buffers, .exchanging = buffers, .storage_goes_on = true};
    // Windows that share a link fill together: were all buffers filling, all would be written together, and
    // the link rest.
    case Schedule::dataflow:
      return {.schedule = schedule,
              .buffers = buffers,
              .exchanging = std::max(1, buffers - 1),
              .storage_goes_on = true,
              .in_turn = false};
    case Schedule::automatic:
    case Schedule::none:
      break;
  }
  return {};
}

Overlap choose_overlap(const machine::Machine& machine, const Hints& hints) {
  const auto most = static_cast<int>(std::min<std::int64_t>(hints.buffers, hints.buffer_bytes));
  const auto row = [most](Schedule schedule, WhyOverlap why) {
    Overlap overlap = overlap_of(schedule, most);
    overlap.why = why;
    return overlap;
  };
  if (hints.schedule != Schedule::automatic) return row(hints.schedule, WhyOverlap::hint);
  if (machine.storage.overlaps) return row(Schedule::dataflow, WhyOverlap::asynchronous_storage);
  if (machine.nodes.size() > 1) return row(Schedule::communication, WhyOverlap::messages_proceed);
  return row(Schedule::none, WhyOverlap::nothing_proceeds);
}

std::string overlap_text(const Overlap& overlap) {
  std::string text = "; rounds: ";
  text += name_of(overlap.schedule);
  if (overlap.buffers > 1) text += " over " + std::to_string(overlap.buffers) + " buffers";
  return text.append(", ").append(why_text(overlap.why));
}

}  // namespace collio::policy
