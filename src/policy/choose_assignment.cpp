// See choose_assignment.hpp.
#include "policy/choose_assignment.hpp"

#include <cstdio>
#include <utility>

namespace collio::policy {

std::string assignment_text(const AssignmentReason& reason) {
  char text[160] = "?";
  switch (reason.why) {
    case WhyAssignment::hint:
      return "asked for by hint";
    case WhyAssignment::no_traffic:
      return "with domains in order no byte leaves its node";
    case WhyAssignment::nothing_sooner:
      std::snprintf(text, sizeof text,
                    "the busiest link needs %.3g s with domains in order, and with nothing else less",
                    reason.in_order_s);
      break;
    case WhyAssignment::saves_little:
      std::snprintf(text, sizeof text,
                    "the busiest link needs %.3g s with domains in order; %s saves less than %g %% of it",
                    reason.in_order_s, name_of(reason.soonest).data(), 100 * least_gain);
      break;
    case WhyAssignment::sooner:
      std::snprintf(text, sizeof text,
                    "the busiest link needs %.3g s instead of %.3g s with domains in order", reason.taken_s,
                    reason.in_order_s);
      break;
  }
  return text;
}

AssignmentChoice choose_among(const PlacementProblem& problem, const std::vector<std::vector<int>>& by_all) {
  AssignmentChoice chosen;
  chosen.before = chosen.after = measure(problem, by_all.front());
  for (std::size_t i = 1; i < by_all.size(); ++i) {
    PlacementMeasures measures = measure(problem, by_all[i]);
    if (measures.busiest.time_s >= chosen.after.busiest.time_s) continue;
    chosen.reason.soonest = static_cast<Assignment>(i);
    chosen.after = std::move(measures);
  }
  AssignmentReason& reason = chosen.reason;
  reason.in_order_s = chosen.before.busiest.time_s;
  if (chosen.before.busiest.bytes == 0)
    reason.why = WhyAssignment::no_traffic;
  else if (reason.soonest == Assignment::in_order)
    reason.why = WhyAssignment::nothing_sooner;
  else if (chosen.after.busiest.time_s <= (1 - least_gain) * reason.in_order_s)
    reason.why = WhyAssignment::sooner;
  else
    reason.why = WhyAssignment::saves_little;
  if (reason.why == WhyAssignment::sooner)
    chosen.how = reason.soonest;
  else
    chosen.after = chosen.before;
  reason.taken_s = chosen.after.busiest.time_s;
  chosen.seat_of_domain = by_all[static_cast<std::size_t>(chosen.how)];
  return chosen;
}

AssignmentChoice choose_assignment(const PlacementProblem& problem) {
  std::vector<int> in_order = assign_domains(Assignment::in_order, problem);
  if (measure(problem, in_order).busiest.bytes == 0) return choose_among(problem, {std::move(in_order)});
  return choose_among(problem, assign_by_all(problem));
}

}  // namespace collio::policy
