// See assignment.hpp.
#include "policy/placement/assignment.hpp"

#include "core/index.hpp"
#include "core/linear_assignment.hpp"
#include "policy/placement/swap_domains.hpp"

namespace collio::policy {

namespace {

using core::at;

int seats_of(const PlacementProblem& p) { return static_cast<int>(p.seats.size()); }

/// Domains that an aggregator may have.
int turns_of(const PlacementProblem& p) {
  return p.domains() == 0 ? 1 : (p.domains() + seats_of(p) - 1) / seats_of(p);
}

/// The least sum of costs(node, domain) over all domains, where every aggregator has as many columns as it
/// may have domains.
template <class Costs>
std::vector<int> least(const PlacementProblem& p, const Costs& costs) {
  core::Matrix<std::int64_t> cost({p.domains(), seats_of(p) * turns_of(p)});
  for (int domain = 0; domain < cost.rows(); ++domain)
    for (int column = 0; column < cost.columns(); ++column)
      cost(domain, column) = costs(p.seat_node(column % seats_of(p)), domain);
  std::vector<int> seat_of_domain = core::assign_rows(cost);
  for (int& seat : seat_of_domain) seat %= seats_of(p);
  return seat_of_domain;
}

std::vector<int> least_hop_bytes(const PlacementProblem& p) {
  const core::Matrix<std::int64_t> work = workload(p);
  return least(p, [&](int node, int domain) { return work(node, domain); });
}

std::vector<int> in_order(const PlacementProblem& p) {
  std::vector<int> seat_of_domain(at(p.domains()));
  for (int domain = 0; domain < p.domains(); ++domain) seat_of_domain[at(domain)] = domain % seats_of(p);
  return seat_of_domain;
}

/// From the least hop-bytes on. Where that ends behind one of `others`, on from the one of them that is done
/// soonest.
std::vector<int> least_congestion(const PlacementProblem& p, const std::vector<std::vector<int>>& others) {
  const std::vector<int>* soonest = &others.front();
  double soonest_s = measure(p, *soonest).busiest.time_s;
  for (const std::vector<int>& other : others)
    if (const double time_s = measure(p, other).busiest.time_s; time_s < soonest_s)
      soonest = &other, soonest_s = time_s;
  std::vector<int> best = swap_domains(p, others.back(), most_exchange_work);
  if (soonest_s < measure(p, best).busiest.time_s) best = swap_domains(p, *soonest, most_exchange_work);
  return best;
}

}  // namespace

std::vector<int> assign_domains(Assignment policy, const PlacementProblem& p) {
  if (policy == Assignment::locality_aware) {
    core::Matrix<std::int64_t> kept({static_cast<int>(p.nodes.size()), p.domains()});
    for (int node = 0; node < p.bytes.rows(); ++node)
      for (const auto [domain, bytes] : p.bytes.row(node)) kept(node, static_cast<int>(domain)) = bytes;
    return least(p, [&](int node, int domain) { return -kept(node, domain); });
  }
  if (policy == Assignment::least_hop_bytes) return least_hop_bytes(p);
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
