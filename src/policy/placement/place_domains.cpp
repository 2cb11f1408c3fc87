// See place_domains.hpp.
#include "policy/placement/place_domains.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/index.hpp"
#include "machine/node_traffic.hpp"
#include "policy/aggregators/elect_aggregators.hpp"
#include "policy/placement/assign_by_node.hpp"

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
/// that is free. O(domains + aggregators).
std::vector<int> seats_on(const std::vector<int>& elected, const std::vector<int>& homes) {
  std::vector<std::vector<int>> free(static_cast<std::size_t>(std::ranges::max(homes)) + 1);
  for (std::size_t seat = homes.size(); seat-- > 0;)
    free[core::at(homes[seat])].push_back(static_cast<int>(seat));
  std::vector<bool> taken(homes.size(), false);
  std::vector<int> seats(elected.size(), -1);
  const auto take = [&](std::size_t domain, int seat) {
    taken[core::at(seat)] = true;
    seats[domain] = seat;
  };
  for (std::size_t d = 0; d < elected.size(); ++d) {
    if (static_cast<std::size_t>(elected[d]) >= free.size()) continue;
    std::vector<int>& there = free[core::at(elected[d])];
    if (there.empty()) continue;
    take(d, there.back());
    there.pop_back();
  }
  int next = 0;
  for (std::size_t d = 0; d < elected.size(); ++d) {
    if (seats[d] >= 0) continue;
    while (taken[core::at(next)]) ++next;
    take(d, next);
  }
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

PlacedDomains placed_as(AssignmentChoice choice) {
  return {.how = std::string(name_of(choice.how)),
          .reason = choice.reason,
          .seat_of_domain = std::move(choice.seat_of_domain),
          .before = std::move(choice.before),
          .after = std::move(choice.after),
          .traffic = {}};
}

PlacedDomains assign(const PlacementProblem& problem, const Hints& hints) {
  if (!hints.assignment) return placed_as(choose_assignment(problem));
  PlacedDomains placed{.how = std::string(name_of(*hints.assignment)),
                       .seat_of_domain = few_enough_for_exact(problem)
                                             ? assign_domains(*hints.assignment, problem)
                                             : assign_by_node(*hints.assignment, problem)};
  placed.before = measure(problem, assign_domains(Assignment::in_order, problem));
  placed.after = measure(problem, placed.seat_of_domain);
  return placed;
}

/// Else pieces go by way of other nodes.
bool traffic_is_foreseen(const Plan& plan, const Hints& hints) {
  return plan.path != Path::two_layer || hints.nodes_per_group == 1;
}

std::vector<std::int64_t> traffic_of(const PlacementProblem& problem, const machine::Machine& machine,
                                     const std::vector<int>& seat_of_domain) {
  machine::NodeTraffic traffic(machine);
  for_each_demand(problem, seat_of_domain, [&](int node, int home, std::int64_t bytes) {
    traffic.add(problem.reads ? machine::Flow{home, node, bytes} : machine::Flow{node, home, bytes});
  });
  return std::move(traffic.numbers());
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

PlacedDomains without_memory(int domains) {
  PlacedDomains placed{.how = std::string(name_of(Assignment::in_order)),
                       .reason = {.why = WhyAssignment::no_memory},
                       .seat_of_domain = std::vector<int>(static_cast<std::size_t>(domains))};
  std::vector<int>& seats = placed.seat_of_domain.edit();
  std::iota(seats.begin(), seats.end(), 0);
  return placed;
}

bool sums_first(const Plan& plan, const machine::Machine& machine, const Hints& hints,
                const SeatHomes& seats) {
  if (machine.network || hints.assignment || std::holds_alternative<Election>(hints.who)) return false;
  if (machine.nodes.size() <= machine::NodeTraffic::most_nodes_in_matrix) return false;
  const machine::Topology topology = topology_of(machine);
  return !few_enough_for_exact(
      {topology, network_nodes(machine), NodeBytes(plan.domains.count), seats.nodes});
}

SwitchSums part_of_sums(const Plan& plan, const SeatHomes& seats, int nodes, int node,
                        std::span<const DomainBytes> row) {
  const int count = plan.domains.count;
  const machine::Topology topology(machine::SingleSwitch{nodes, unknown_link});
  const PlacementProblem problem{.topology = topology,
                                 .nodes = std::vector<int>(core::at(nodes)),
                                 .bytes = NodeBytes(count),
                                 .seats = seats.nodes,
                                 .spare = seats.spare};
  SwitchSums sums(nodes, count);
  sums.add_row(problem, node, row, room_of_nodes(problem)[core::at(node)]);
  return sums;
}

std::optional<PlacedDomains> placed_by_sums(const Plan& plan, const machine::Machine& machine,
                                            const Hints& hints, const SeatHomes& seats,
                                            const SwitchSums& sums) {
  const machine::Topology topology = topology_of(machine);
  const PlacementProblem problem{.topology = topology,
                                 .nodes = network_nodes(machine),
                                 .bytes = NodeBytes(plan.domains.count),
                                 .seats = seats.nodes,
                                 .reads = plan.direction == Direction::read,
                                 .spare = seats.spare};
  const NodeLoads loads(problem, sums);
  AssignmentChoice choice = in_order_on_switch(problem, sums, loads);
  if (choice.reason.why == WhyAssignment::nothing_sooner) return {};
  PlacedDomains placed = placed_as(std::move(choice));
  placed.network_known = false;
  if (!traffic_is_foreseen(plan, hints)) return placed;
  machine::NodeTraffic traffic(machine);
  const auto from_nodes = std::ranges::copy(problem.reads ? loads.enters : loads.leaves,
                                            traffic.numbers().begin());  // sent, and then received
  std::ranges::copy(problem.reads ? loads.leaves : loads.enters, from_nodes.out);
  placed.traffic = std::move(traffic.numbers());
  return placed;
}

PlacedDomains place_domains(const Plan& plan, const machine::Machine& machine, const Hints& hints,
                            CallBytes bytes, const SeatHomes& seats) {
  const machine::Topology topology = topology_of(machine);
  const PlacementProblem problem{.topology = topology,
                                 .nodes = network_nodes(machine),
                                 .bytes = std::move(bytes.entries),
                                 .seats = seats.nodes,
                                 .reads = plan.direction == Direction::read,
                                 .sums = bytes.sums ? &*bytes.sums : nullptr,
                                 .spare = seats.spare};
  const auto* election = std::get_if<Election>(&hints.who);
  PlacedDomains placed = election ? elect(*election, problem, machine) : assign(problem, hints);
  placed.network_known = machine.network != nullptr;
  placed.reason.limited = placed.reason.limited || !bytes.all;
  if (bytes.all && traffic_is_foreseen(plan, hints))
    placed.traffic = traffic_of(problem, machine, placed.seat_of_domain);
  return placed;
}

}  // namespace collio::policy
