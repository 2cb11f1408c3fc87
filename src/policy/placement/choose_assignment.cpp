// See choose_assignment.hpp.
#include "policy/placement/choose_assignment.hpp"

#include <cstdio>
#include <utility>

#include "policy/placement/assign_by_node.hpp"

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
    case WhyAssignment::bounded:
      std::snprintf(text, sizeof text,
                    "the busiest link needs %.3g s with domains in order; nothing can save %g %% of it",
                    reason.in_order_s, 100 * least_gain);
      break;
    case WhyAssignment::no_memory:
      return "there is no memory to place domains";
    case WhyAssignment::sooner:
      std::snprintf(text, sizeof text,
                    "the busiest link needs %.3g s instead of %.3g s with domains in order", reason.taken_s,
                    reason.in_order_s);
      break;
  }
  return reason.limited ? std::string(text) + "; the search ended at its limit of work" : text;
}

AssignmentChoice choose_among(std::vector<Assigned> assigned) {
  AssignmentChoice chosen;
  std::size_t soonest = 0;
  for (std::size_t i = 1; i < assigned.size(); ++i)
    if (assigned[i].measures.busiest.time_s < assigned[soonest].measures.busiest.time_s) soonest = i;
  AssignmentReason& reason = chosen.reason;
  chosen.before = assigned.front().measures;
  reason.in_order_s = chosen.before.busiest.time_s;
  reason.soonest = assigned[soonest].how;
  if (chosen.before.busiest.bytes == 0)
    reason.why = WhyAssignment::no_traffic;
  else if (soonest == 0)
    reason.why = WhyAssignment::nothing_sooner;
  else if (assigned[soonest].measures.busiest.time_s <= (1 - least_gain) * reason.in_order_s)
    reason.why = WhyAssignment::sooner;
  else
    reason.why = WhyAssignment::saves_little;
  Assigned& taken = assigned[reason.why == WhyAssignment::sooner ? soonest : 0];
  chosen.how = taken.how;
  chosen.after = std::move(taken.measures);
  chosen.seat_of_domain = std::move(taken.seat_of_domain);
  reason.taken_s = chosen.after.busiest.time_s;
  return chosen;
}

AssignmentChoice choose_among(const PlacementProblem& problem, const std::vector<std::vector<int>>& by_all) {
  std::vector<Assigned> assigned;
  for (std::size_t i = 0; i < by_all.size(); ++i)
    assigned.push_back({static_cast<Assignment>(i), by_all[i], measure(problem, by_all[i])});
  return choose_among(std::move(assigned));
}

AssignmentChoice choose_assignment(const PlacementProblem& problem) {
  if (!few_enough_for_exact(problem)) return choose_by_node(problem);
  std::vector<int> in_order = assign_domains(Assignment::in_order, problem);
  if (measure(problem, in_order).busiest.bytes == 0) return choose_among(problem, {std::move(in_order)});
  return choose_among(problem, assign_by_all(problem));
}

}  // namespace collio::policy
