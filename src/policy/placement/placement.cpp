// See placement.hpp.
#include "policy/placement/placement.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/index.hpp"

namespace collio::policy {

namespace {

using core::at;

core::Error wrong(std::string text) { return {core::ErrorClass::argument, std::move(text)}; }

core::Error check_range(const char* list, const std::vector<int>& values, int end) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < 0 || values[i] >= end)
      return wrong(std::string(list) + "[" + std::to_string(i) + "] is " + std::to_string(values[i]) +
                   "; allowed: 0 to " + std::to_string(end - 1));
  return {};
}

}  // namespace

core::Error check_placement(const PlacementProblem& p) {
  if (p.nodes.empty() || p.seats.empty())
    return wrong(std::string("there are no ") + (p.nodes.empty() ? "nodes" : "seats"));
  if (core::Error error = check_range("nodes", p.nodes, p.topology.nodes()); !error.ok()) return error;
  if (core::Error error = check_range("seats", p.seats, static_cast<int>(p.nodes.size())); !error.ok())
    return error;
  if (p.bytes.rows() != static_cast<int>(p.nodes.size()))
    return wrong("bytes has " + std::to_string(p.bytes.rows()) + " rows; allowed: one for each of " +
                 std::to_string(p.nodes.size()) + " nodes");
  for (int node = 0; node < p.bytes.rows(); ++node)
    for (const auto [domain, bytes] : p.bytes.row(node))
      if (bytes < 0)
        return wrong("bytes of node " + std::to_string(node) + " has " + std::to_string(bytes) +
                     "; allowed: 0 and more");
  return {};
}

std::vector<int> room_of_nodes(const PlacementProblem& p, Seats which) {
  std::vector<int> room(p.nodes.size(), 0);
  const std::size_t seats = p.seats.size() - (which == Seats::all ? 0 : at(p.spare));
  for (std::size_t seat = 0; seat < seats; ++seat) room[at(p.seats[seat])] += p.turns();
  return room;
}

std::vector<int> seats_at(const PlacementProblem& p, const std::vector<int>& home_of_domain) {
  std::vector<std::vector<int>> seats_of(p.nodes.size());
  for (std::size_t seat = p.seats.size(); seat-- > 0;)
    seats_of[at(p.seats[seat])].push_back(static_cast<int>(seat));
  std::vector<int> room(p.seats.size(), p.turns()), seat_of_domain(home_of_domain.size(), -1);
  const auto take = [&](int domain, int seat) {
    --room[at(seat)];
    seat_of_domain[at(domain)] = seat;
  };
  for (int d = 0; d < p.domains(); ++d)
    if (const int seat = p.seat_in_order(d); p.seat_node(seat) == home_of_domain[at(d)] && room[at(seat)] > 0)
      take(d, seat);
  for (int d = 0; d < p.domains(); ++d) {
    if (seat_of_domain[at(d)] >= 0) continue;
    std::vector<int>& there = seats_of[at(home_of_domain[at(d)])];
    while (room[at(there.back())] == 0) there.pop_back();
    take(d, there.back());
  }
  return seat_of_domain;
}

core::Matrix<std::int64_t> workload(const PlacementProblem& p) {
  const int nodes = static_cast<int>(p.nodes.size());
  core::Matrix<std::int64_t> work({nodes, p.domains()});
  std::vector<bool> has_seat(p.nodes.size(), false);
  for (const int node : p.seats) has_seat[core::at(node)] = true;
  for (int home = 0; home < nodes; ++home) {
    if (!has_seat[core::at(home)]) continue;
    const auto sums = work.row(home);
    for (int node = 0; node < nodes; ++node) {
      const int distance = p.distance(node, home);
      if (distance == 0) continue;
      for (const auto [domain, bytes] : p.bytes.row(node)) sums[at(domain)] += distance * bytes;
    }
  }
  return work;
}

PlacementMeasures measure(const PlacementProblem& p, const std::vector<int>& seat_of_domain) {
  PlacementMeasures m;
  m.seat_bytes.assign(p.seats.size(), 0);
  for (int node = 0; node < p.bytes.rows(); ++node)
    for (const auto [domain, bytes] : p.bytes.row(node))
      m.seat_bytes[at(seat_of_domain[at(domain)])] += bytes;
  std::vector<std::int64_t> loads(2 * at(p.topology.links()), 0);
  for_each_demand(p, seat_of_domain, [&](int node, int home, std::int64_t bytes) {
    m.bytes += bytes;
    if (node == home) {
      m.bytes_inside_nodes += bytes;
      m.hop_bytes += p.hops_inside_node * bytes;
      return;
    }
    p.topology.route(p.trip(node, home), [&](const machine::Hop& hop) {
      loads[hop.index()] += bytes;
      m.hop_bytes += bytes;
    });
  });
  m.busiest = busiest_link(p.topology, loads);
  note_imbalance(p, m);
  return m;
}

void note_imbalance(const PlacementProblem& p, PlacementMeasures& m) {
  const std::int64_t most = *std::max_element(m.seat_bytes.begin(), m.seat_bytes.end());
  const auto serving = static_cast<double>(m.seat_bytes.size() - at(p.spare));
  if (m.bytes > 0) m.imbalance = static_cast<double>(most) * serving / static_cast<double>(m.bytes);
}

}  // namespace collio::policy
