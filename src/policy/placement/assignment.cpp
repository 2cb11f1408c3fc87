// See assignment.hpp.
#include "policy/placement/assignment.hpp"

#include <utility>

#include "core/index.hpp"
#include "core/linear_assignment.hpp"
#include "policy/placement/swap_domains.hpp"

namespace collio::policy {

namespace {

using core::at;

/// The least sum of costs(node, domain) over all domains.
template <class Costs>
std::vector<int> least(const PlacementProblem& p, Seats which, const Costs& costs) {
  std::vector<int> homes, room;
  const std::vector<int> room_of = room_of_nodes(p, which);
  for (int node = 0; node < static_cast<int>(room_of.size()); ++node)
    if (room_of[at(node)] > 0) homes.push_back(node), room.push_back(room_of[at(node)]);
  core::Matrix<std::int64_t> cost({p.domains(), static_cast<int>(homes.size())});
  for (int domain = 0; domain < cost.rows(); ++domain)
    for (int column = 0; column < cost.columns(); ++column)
      cost(domain, column) = costs(homes[at(column)], domain);
  std::vector<int> home_of_domain = core::assign_rows(cost, room);
  for (int& home : home_of_domain) home = homes[at(home)];
  return seats_at(p, home_of_domain);
}

std::vector<int> least_hop_bytes(const PlacementProblem& p, Seats which) {
  const core::Matrix<std::int64_t> work = workload(p);
  return least(p, which, [&](int node, int domain) { return work(node, domain); });
}

std::vector<int> in_order(const PlacementProblem& p) {
  std::vector<int> seat_of_domain(at(p.domains()));
  for (int domain = 0; domain < p.domains(); ++domain) seat_of_domain[at(domain)] = p.seat_in_order(domain);
  return seat_of_domain;
}

/// From the least hop-bytes on, with spare seats and without. Where that ends behind one of `others`, on from
/// the one of them that is done soonest.
std::vector<int> least_congestion(const PlacementProblem& p, const std::vector<std::vector<int>>& others) {
  const std::vector<int>* soonest = &others.front();
  double soonest_s = measure(p, *soonest).busiest.time_s;
  for (const std::vector<int>& other : others)
    if (const double time_s = measure(p, other).busiest.time_s; time_s < soonest_s)
      soonest = &other, soonest_s = time_s;
  std::vector<int> best = swap_domains(p, others.back(), most_exchange_work);
  double best_s = measure(p, best).busiest.time_s;
  const auto go_on_from = [&](std::vector<int> begin) {
    std::vector<int> end = swap_domains(p, std::move(begin), most_exchange_work);
    if (const double end_s = measure(p, end).busiest.time_s; end_s < best_s)
      best = std::move(end), best_s = end_s;
  };
  if (p.spare > 0) go_on_from(least_hop_bytes(p, Seats::aggregators));
  if (soonest_s < best_s) go_on_from(*soonest);
  return best;
}

}  // namespace

std::vector<int> assign_domains(Assignment policy, const PlacementProblem& p) {
  if (policy == Assignment::locality_aware) {
    core::Matrix<std::int64_t> kept({static_cast<int>(p.nodes.size()), p.domains()});
    for (int node = 0; node < p.bytes.rows(); ++node)
      for (const auto [domain, bytes] : p.bytes.row(node)) kept(node, static_cast<int>(domain)) = bytes;
    return least(p, Seats::all, [&](int node, int domain) { return -kept(node, domain); });
  }
  if (policy == Assignment::least_hop_bytes) return least_hop_bytes(p, Seats::all);
  if (policy == Assignment::least_congestion) return assign_by_all(p).back();
  return in_order(p);
}

std::vector<std::vector<int>> assign_by_all(const PlacementProblem& p) {
  std::vector<std::vector<int>> all;
  for (const Assignment policy :
       {Assignment::in_order, Assignment::locality_aware, Assignment::least_hop_bytes})
    all.push_back(assign_domains(policy, p));
  all.push_back(least_congestion(p, all));
  return all;
}

}  // namespace collio::policy
