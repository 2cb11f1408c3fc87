// See place_domains.hpp.
#include "policy/place_domains.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "policy/elect_aggregators.hpp"

namespace collio::policy {

namespace {

// Below this the two agreements that placing takes cost more than they could save.
constexpr std::int64_t least_bytes_per_node = 64 << 10;
constexpr machine::Cable unknown_link{1.25e9, 5e-6};  // 10 Gbit/s

std::vector<int> network_nodes(const machine::Machine& machine) {
  std::vector<int> nodes;
  for (std::size_t i = 0; i < machine.nodes.size(); ++i)
    nodes.push_back(machine.network ? machine.nodes[i].network_node : static_cast<int>(i));
  return nodes;
}

/// An aggregator on each elected node, no one twice: one of a node's that has none left stands aside for any
/// that is free.
std::vector<int> seats_on(const std::vector<int>& elected, const std::vector<int>& homes) {
  std::vector<bool> taken(homes.size(), false);
  std::vector<int> seats(elected.size(), -1);
  const auto take = [&](std::size_t domain, auto&& fits) {
    for (std::size_t seat = 0; seat < homes.size() && seats[domain] < 0; ++seat)
      if (!taken[seat] && fits(seat)) taken[seat] = true, seats[domain] = static_cast<int>(seat);
  };
  for (std::size_t d = 0; d < elected.size(); ++d)
    take(d, [&](std::size_t seat) { return homes[seat] == elected[d]; });
  for (std::size_t d = 0; d < elected.size(); ++d) take(d, [](std::size_t) { return true; });
  return seats;
}

PlacedDomains elect(Election how, const PlacementProblem& problem, const machine::Machine& machine) {
  const int storage = machine.network ? machine.network->storage : machine::no_vertex;
  const std::vector<int> elected = elect_aggregators(
      how, {problem.topology, problem.nodes, problem.bytes, std::vector<int>(problem.nodes.size(), storage)});
  PlacedDomains placed{.how = std::string(name_of(how)), .seat_of_domain = seats_on(elected, problem.seats)};
  placed.before = measure(problem, assign_domains(Assignment::in_order, problem));
  placed.after = measure(problem, placed.seat_of_domain);
  return placed;
}

PlacedDomains assign(const PlacementProblem& problem, const Hints& hints) {
  if (!hints.assignment) {
    AssignmentChoice choice = choose_assignment(problem);
    return {.how = std::string(name_of(choice.how)),
            .reason = choice.reason,
            .seat_of_domain = std::move(choice.seat_of_domain),
            .before = std::move(choice.before),
            .after = std::move(choice.after),
            .flows = {}};
  }
  PlacedDomains placed{.how = std::string(name_of(*hints.assignment)),
                       .seat_of_domain = assign_domains(*hints.assignment, problem)};
  placed.before = measure(problem, assign_domains(Assignment::in_order, problem));
  placed.after = measure(problem, placed.seat_of_domain);
  return placed;
}

std::vector<machine::Flow> flows_of(const PlacementProblem& problem, const std::vector<int>& seat_of_domain) {
  std::map<std::pair<int, int>, std::int64_t> sums;
  for (int node = 0; node < problem.bytes.rows(); ++node)
    for (int domain = 0; domain < problem.domains(); ++domain) {
      const int home = problem.seat_node(seat_of_domain[static_cast<std::size_t>(domain)]);
      const std::int64_t bytes = problem.bytes(node, domain);
      if (home == node || bytes == 0) continue;
      sums[problem.reads ? std::pair(home, node) : std::pair(node, home)] += bytes;
    }
  std::vector<machine::Flow> flows;
  for (const auto& [ends, bytes] : sums) flows.push_back({ends.first, ends.second, bytes});
  return flows;
}

}  // namespace

std::string placing_text(const PlacedDomains& placed) {
  return assignment_text(placed.reason) +
         (placed.network_known ? "" : ", with all nodes on one switch at 10 Gbit/s: the network is unknown");
}

InOrder against_placing(const Plan& plan, const machine::Machine& machine, const Hints& hints,
                        std::int64_t bytes) {
  if (plan.path != Path::two_layer && plan.path != Path::two_phase) return InOrder::no_aggregators;
  const auto nodes = static_cast<std::int64_t>(machine.nodes.size());
  if (nodes < 2) return InOrder::one_node;
  if (std::holds_alternative<Election>(hints.who) || hints.assignment)
    return hints.assignment == Assignment::in_order ? InOrder::hint : InOrder::no;
  if (plan.reason.cut == WhyCut::dealt) return InOrder::dealt;
  return bytes / nodes < least_bytes_per_node ? InOrder::few_bytes : InOrder::no;
}

machine::Topology topology_of(const machine::Machine& machine) {
  if (machine.network) return machine.network;
  return machine::SingleSwitch{static_cast<int>(machine.nodes.size()), unknown_link};
}

PlacedDomains place_domains(const Plan& plan, const machine::Machine& machine, const Hints& hints,
                            core::Matrix<std::int64_t> bytes, const std::vector<int>& homes) {
  const machine::Topology topology = topology_of(machine);
  const PlacementProblem problem{topology, network_nodes(machine), std::move(bytes), homes,
                                 plan.direction == Direction::read};
  const auto* election = std::get_if<Election>(&hints.who);
  PlacedDomains placed = election ? elect(*election, problem, machine) : assign(problem, hints);
  placed.network_known = machine.network != nullptr;
  if (plan.path != Path::two_layer || hints.nodes_per_group == 1)
    placed.flows = flows_of(problem, placed.seat_of_domain);
  return placed;
}

}  // namespace collio::policy
