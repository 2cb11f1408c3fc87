// See choose_assignment.hpp.
#include "policy/choose_assignment.hpp"

#include <cstdio>
#include <utility>

namespace collio::policy {

namespace {

/// `chosen`: the soonest, taken or not. `gains`: it is taken, or it is domains in order and nothing is
/// sooner.
std::string reason_of(const AssignmentChoice& chosen, bool gains) {
  if (chosen.before.busiest.bytes == 0) return "with domains in order no byte leaves its node";
  char text[160];
  const double before_s = chosen.before.busiest.time_s, after_s = chosen.after.busiest.time_s;
  if (!gains)
    std::snprintf(text, sizeof text,
                  "the busiest link needs %.3g s with domains in order; %s saves less than %g %% of it",
                  before_s, name_of(chosen.how).data(), 100 * least_gain);
  else if (chosen.how == Assignment::in_order)
    std::snprintf(text, sizeof text,
                  "the busiest link needs %.3g s with domains in order, and with nothing else less",
                  before_s);
  else
    std::snprintf(text, sizeof text, "the busiest link needs %.3g s instead of %.3g s with domains in order",
                  after_s, before_s);
  return text;
}

}  // namespace

AssignmentChoice choose_among(const PlacementProblem& problem, const std::vector<std::vector<int>>& by_all) {
  AssignmentChoice chosen{Assignment::in_order, by_all.front(), "", measure(problem, by_all.front()), {}};
  chosen.after = chosen.before;
  for (std::size_t i = 1; i < by_all.size(); ++i) {
    PlacementMeasures measures = measure(problem, by_all[i]);
    if (measures.busiest.time_s >= chosen.after.busiest.time_s) continue;
    chosen.how = static_cast<Assignment>(i);
    chosen.after = std::move(measures);
  }
  const bool gains = chosen.how == Assignment::in_order ||
                     chosen.after.busiest.time_s <= (1 - least_gain) * chosen.before.busiest.time_s;
  chosen.reason = reason_of(chosen, gains);
  if (!gains) chosen.how = Assignment::in_order, chosen.after = chosen.before;
  chosen.seat_of_domain = by_all[static_cast<std::size_t>(chosen.how)];
  return chosen;
}

AssignmentChoice choose_assignment(const PlacementProblem& problem) {
  std::vector<int> in_order = assign_domains(Assignment::in_order, problem);
  if (measure(problem, in_order).busiest.bytes == 0) return choose_among(problem, {std::move(in_order)});
  return choose_among(problem, assign_by_all(problem));
}

}  // namespace collio::policy
