// Chooses the assignment of domains to aggregators: what `auto` takes.
//
// The time of an exchange has the busiest link's as its lower bound, so the policy whose busiest link is done
// soonest is taken, unless it gains next to nothing over domains in order: these need no explanation, and are
// the same from call to call.
#pragma once

#include <string>
#include <vector>

#include "policy/placement/assignment.hpp"

namespace collio::policy {

/// Part of the busiest link's time that an assignment has to save to be taken instead of domains in order.
inline constexpr double least_gain = 0.02;

/// What settled the assignment.
enum class WhyAssignment {
  hint,
  /// with domains in order no byte leaves its node
  no_traffic,
  /// domains in order: with no other is the busiest link done sooner
  nothing_sooner,
  /// domains in order: the best other saves less than least_gain
  saves_little,
  /// domains in order: no other can save least_gain, so none was looked for
  bounded,
  /// domains in order: there is no memory to look for another
  no_memory,
  /// the busiest link is done sooner than with domains in order
  sooner,
};

struct AssignmentReason {
  WhyAssignment why = WhyAssignment::hint;
  /// with it the busiest link is done soonest; taken or not
  Assignment soonest = Assignment::in_order;
  /// until that link is done
  double in_order_s = 0, taken_s = 0;
  /// the search for better ones ended at its limit of work
  bool limited = false;
};
/// In words, for the report. Pure.
[[nodiscard]] std::string assignment_text(const AssignmentReason& reason);

struct AssignmentChoice {
  Assignment how = Assignment::in_order;
  AssignmentReason reason;
  /// aggregator of every domain
  std::vector<int> seat_of_domain;
  /// with domains in order, and with `how`; the same for in_order
  PlacementMeasures before, after;
};

/// A policy and what it assigns: aggregator of every domain.
struct Assigned {
  Assignment how = Assignment::in_order;
  std::vector<int> seat_of_domain;
  PlacementMeasures measures;
};
/// What `auto` takes of these, the first of which has domains in order. The first of those that are equally
/// good. Pure, the same from the same numbers.
[[nodiscard]] AssignmentChoice choose_among(std::vector<Assigned> assigned);
/// The same, given what every policy assigns (assign_by_all). O(policies) measures.
[[nodiscard]] AssignmentChoice choose_among(const PlacementProblem& problem,
                                            const std::vector<std::vector<int>>& by_all);

/// What `auto` takes. Plans with every policy up to most_exact_costs, and beyond by node (assign_by_node).
/// Where domains in order use no link, nothing else is planned. Pure, the same from the same numbers, so that
/// every rank may do it for itself. The problem has passed check_placement. Cost: as assign_domains with
/// least_congestion, or as assign_by_node.
[[nodiscard]] AssignmentChoice choose_assignment(const PlacementProblem& problem);

}  // namespace collio::policy
