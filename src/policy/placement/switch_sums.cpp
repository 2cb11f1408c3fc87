// See switch_sums.hpp.
#include "policy/placement/switch_sums.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "core/index.hpp"

namespace collio::policy {

using core::at;

const machine::SingleSwitch* only_switch(const PlacementProblem& p) {
  const auto* one = std::get_if<machine::SingleSwitch>(&p.topology.shape());
  if (!one) return nullptr;
  std::vector<char> seen(at(one->nodes), 0);
  for (const int node : p.nodes)
    if (std::exchange(seen[at(node)], 1) != 0) return nullptr;
  return one;
}

SwitchSums::SwitchSums(int nodes, int domains)
    : sums(at(domains + 2 * nodes + 1), 0), most(at(domains + 1), 0), nodes_(nodes), domains_(domains) {}

SwitchSums::SwitchSums(const PlacementProblem& p)
    : SwitchSums(static_cast<int>(p.nodes.size()), p.domains()) {
  const std::vector<int> room = room_of_nodes(p);
  for (int node = 0; node < p.bytes.rows(); ++node) add_row(p, node, p.bytes.row(node), room[at(node)]);
}

void SwitchSums::add_row(const PlacementProblem& p, int node, std::span<const DomainBytes> row, int room) {
  std::int64_t all = 0, largest = 0, kept = 0;
  for (const auto [domain, bytes] : row) {
    all += bytes;
    largest = std::max(largest, bytes);
    sums[at(domain)] += bytes;
    most[at(domain)] = std::max(most[at(domain)], bytes);
    if (p.seat_node(p.seat_in_order(static_cast<int>(domain))) == node) kept += bytes;
  }
  sums[place(domains_ + node)] += all;
  sums[place(domains_ + nodes_ + node)] += kept;
  sums.back() += static_cast<std::int64_t>(row.size());
  most.back() = std::max(most.back(), all - room * largest);
}

NodeLoads::NodeLoads(const PlacementProblem& p, const SwitchSums& sums) : enters(p.nodes.size(), 0) {
  for (int d = 0; d < p.domains(); ++d) enters[at(p.seat_node(p.seat_in_order(d)))] += sums.of_domain(d);
  for (int node = 0; node < static_cast<int>(p.nodes.size()); ++node) {
    leaves.push_back(sums.of_node(node) - sums.kept_in_order(node));
    enters[at(node)] -= sums.kept_in_order(node);
  }
}

NodeLoads::NodeLoads(const PlacementProblem& p, const SwitchSums& sums,
                     const std::vector<int>& home_of_domain)
    : enters(p.nodes.size(), 0) {
  for (int node = 0; node < static_cast<int>(p.nodes.size()); ++node) leaves.push_back(sums.of_node(node));
  for (int d = 0; d < p.domains(); ++d) {
    const int home = home_of_domain[at(d)];
    const std::int64_t kept = p.bytes(home, d);
    leaves[at(home)] -= kept;
    enters[at(home)] += sums.of_domain(d) - kept;
  }
}

std::int64_t NodeLoads::worst(int node) const noexcept {
  return std::max(leaves[at(node)], enters[at(node)]);
}

int NodeLoads::busiest() const noexcept {
  int most = 0;
  for (int node = 1; node < static_cast<int>(leaves.size()); ++node)
    if (worst(node) > worst(most)) most = node;
  return most;
}

PlacementMeasures measure_on_switch(const PlacementProblem& p, const SwitchSums& sums, const NodeLoads& loads,
                                    const std::vector<int>& seat_of_domain) {
  PlacementMeasures m;
  m.seat_bytes.assign(p.seats.size(), 0);
  for (int d = 0; d < p.domains(); ++d) {
    m.bytes += sums.of_domain(d);
    m.seat_bytes[at(seat_of_domain[at(d)])] += sums.of_domain(d);
  }
  std::vector<std::int64_t> links(2 * at(p.topology.links()), 0);
  for (std::size_t node = 0; node < p.nodes.size(); ++node) {
    // Link i is node i's; what is read goes the other way.
    links[machine::Hop{p.nodes[node], !p.reads}.index()] = loads.leaves[node];
    links[machine::Hop{p.nodes[node], p.reads}.index()] = loads.enters[node];
  }
  const std::int64_t away = std::accumulate(loads.leaves.begin(), loads.leaves.end(), std::int64_t{0});
  m.bytes_inside_nodes = m.bytes - away;
  m.hop_bytes = 2 * away + p.hops_inside_node * m.bytes_inside_nodes;
  m.busiest = busiest_link(p.topology, links);
  note_imbalance(p, m);
  return m;
}

std::int64_t least_on_busiest(const PlacementProblem& p, const SwitchSums& sums) {
  std::int64_t least = sums.least_sent(), away = 0;
  for (int d = 0; d < p.domains(); ++d) {
    const std::int64_t enters = sums.of_domain(d) - sums.most_of_domain(d);
    least = std::max(least, enters);
    away += enters;
  }
  const std::vector<int> room = room_of_nodes(p);
  const auto homes = std::ranges::count_if(room, [](int domains) { return domains > 0; });
  return std::max(least, (away + homes - 1) / homes);
}

AssignmentChoice in_order_on_switch(const PlacementProblem& p, const SwitchSums& sums,
                                    const NodeLoads& loads) {
  std::vector<int> seats(at(p.domains()));
  for (int d = 0; d < p.domains(); ++d) seats[at(d)] = p.seat_in_order(d);
  PlacementMeasures measures = measure_on_switch(p, sums, loads, seats);
  AssignmentChoice choice = choose_among({{Assignment::in_order, std::move(seats), std::move(measures)}});
  const double least_s = static_cast<double>(least_on_busiest(p, sums)) /
                         std::get<machine::SingleSwitch>(p.topology.shape()).link.rate_bytes_per_s;
  if (least_s > (1 - least_gain) * choice.reason.in_order_s) choice.reason.why = WhyAssignment::bounded;
  return choice;
}

}  // namespace collio::policy
