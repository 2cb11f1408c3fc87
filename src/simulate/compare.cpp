// See compare.hpp.
#include "simulate/compare.hpp"

#include <algorithm>
#include <chrono>
#include <set>

namespace collio::simulate {

namespace {

/// of the histogram behind the balanced cut
constexpr int regions_per_aggregator = 64;

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<policy::Seat> select(const Setting& s, policy::Selection selection) {
  return policy::select_aggregators(selection, {s.machine, s.hints, policy::Counting::hint, s.stripes});
}

/// The aggregators that a policy selects, and spare seats.
void seat(policy::PlacementProblem& problem, const Setting& s, policy::Selection selection) {
  policy::Hints hints = s.hints;
  hints.who = selection;
  const std::vector<policy::Seat> seats = select(s, selection),
                                  spare = policy::spare_seats(s.machine, hints, seats);
  for (const auto* some : {&seats, &spare})
    for (const policy::Seat& one : *some) problem.seats.push_back(one.node);
  problem.spare = static_cast<int>(spare.size());
}

/// As many domains as the default selection has aggregators: what elections are held for.
int domains_to_elect_for(const Setting& s) {
  return static_cast<int>(select(s, policy::Selection::dealt).size());
}

std::int64_t between_nodes(const core::Matrix<std::int64_t>& messages, const policy::PlacementProblem& p,
                           const std::vector<int>& seat_of_domain) {
  std::int64_t sum = 0;
  for (int node = 0; node < messages.rows(); ++node)
    for (int domain = 0; domain < messages.columns(); ++domain)
      if (p.seat_node(seat_of_domain[static_cast<std::size_t>(domain)]) != node)
        sum += messages(node, domain);
  return sum;
}

Row row_of(const policy::PlacementProblem& p, const Demand& demand, const std::vector<int>& seat_of_domain) {
  Row row;
  row.measures = policy::measure(p, seat_of_domain);
  row.aggregators = static_cast<int>(p.seats.size()) - p.spare;
  std::set<int> homes;
  for (const int seat : seat_of_domain) homes.insert(p.seat_node(seat));
  row.aggregator_nodes = static_cast<int>(homes.size());
  row.domains = p.domains();
  row.rounds = demand.rounds;
  row.two_phase_messages = between_nodes(demand.rank_messages, p, seat_of_domain);
  row.two_layer_messages = between_nodes(demand.node_messages, p, seat_of_domain);
  return row;
}

}  // namespace

const Row& Comparison::chosen() const {
  return *std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.chosen; });
}

core::Error check_setting(const Setting& s) {
  const int nodes = static_cast<int>(s.nodes.size());
  policy::PlacementProblem empty{s.topology, s.nodes, core::Matrix<std::int64_t>({nodes, 0}), {0}};
  if (core::Error error = policy::check_placement(empty); !error.ok()) return error;
  if (s.job.nodes() != nodes || s.storage.size() != s.nodes.size() ||
      s.machine.nodes.size() != s.nodes.size())
    return {core::ErrorClass::argument, std::string("the job has ") + std::to_string(s.job.nodes()) +
                                            " nodes; allowed: " + std::to_string(nodes)};
  return {};
}

CutFile cut_file(const Setting& s, policy::Cut cut, int aggregators) {
  const policy::FileCutRequest request{s.job.span, aggregators, s.unit_bytes};
  switch (cut) {
    case policy::Cut::even:
      return CutFile(policy::cut_evenly({s.job.span, aggregators, s.unit_bytes, s.window_bytes}));
    case policy::Cut::aligned:
      return {policy::cut_aligned(request), s.window_bytes};
    case policy::Cut::static_cyclic:
      return {policy::cut_static_cyclic(request), s.window_bytes};
    case policy::Cut::group_cyclic:
      return {policy::cut_group_cyclic(request, s.stripes), s.window_bytes};
    case policy::Cut::balanced:
      break;
  }
  return {policy::cut_balanced(request, histogram_of(s.job, regions_per_aggregator * aggregators)),
          s.window_bytes};
}

const Demand& Comparer::demand(policy::Cut cut, int aggregators) {
  const auto found = demands_.find({cut, aggregators});
  if (found != demands_.end()) return found->second;
  return demands_
      .emplace(std::pair(cut, aggregators), demand_of(setting_.job, cut_file(setting_, cut, aggregators)))
      .first->second;
}

Comparison Comparer::assignments(policy::Cut cut, const policy::Who& who) {
  const Setting& s = setting_;
  const auto* selection = std::get_if<policy::Selection>(&who);
  const Stopwatch selecting;
  policy::PlacementProblem problem{s.topology, s.nodes, {}, {}, s.reads};
  if (selection) seat(problem, s, *selection);
  double who_s = selecting.seconds();

  const Stopwatch counting;
  const Demand& counted = demand(
      cut, selection ? static_cast<int>(problem.seats.size()) - problem.spare : domains_to_elect_for(s));
  problem.bytes = counted.bytes;
  Comparison comparison{{}, "", counting.seconds()};

  if (!selection) {
    const Stopwatch electing;
    problem.seats = policy::elect_aggregators(std::get<policy::Election>(who),
                                              {s.topology, s.nodes, counted.bytes, s.storage});
    who_s = electing.seconds();
  }
  const bool storage_known =
      std::find(s.storage.begin(), s.storage.end(), machine::no_vertex) == s.storage.end();
  core::Matrix<policy::ElectionCost> costs;
  if (storage_known) costs = policy::election_costs({s.topology, s.nodes, counted.bytes, s.storage});
  std::vector<std::vector<int>> by_all;
  for (int i = 0; i <= static_cast<int>(policy::Assignment::least_congestion); ++i) {
    const Stopwatch assigning;
    by_all.push_back(policy::assign_domains(static_cast<policy::Assignment>(i), problem));
    const double assign_s = assigning.seconds();
    Row row = row_of(problem, counted, by_all.back());
    row.cut = cut, row.who = who, row.assignment = static_cast<policy::Assignment>(i);
    row.plan_s = who_s + assign_s;
    if (storage_known) row.storage = storage_way(problem, {s.storage, costs}, by_all.back());
    comparison.rows.push_back(std::move(row));
  }
  const policy::AssignmentChoice choice = policy::choose_among(problem, by_all);
  comparison.rows[static_cast<std::size_t>(choice.how)].chosen = true;
  comparison.reason = policy::assignment_text(choice.reason);
  return comparison;
}

}  // namespace collio::simulate
