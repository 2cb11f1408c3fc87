// See storage_way.hpp.
#include "simulate/storage_way.hpp"

#include <algorithm>

namespace collio::simulate {

StorageWay storage_way(const policy::PlacementProblem& p, const StorageSide& storage,
                       const std::vector<int>& seat_of_domain) {
  StorageWay way;
  std::vector<std::int64_t> loads(2 * static_cast<std::size_t>(p.topology.links()), 0);
  const policy::NodeBytes by_domain = p.bytes.transposed();
  const auto send = [&](const machine::Trip& trip, std::int64_t bytes) {
    p.topology.route(trip, [&](const machine::Hop& hop) { loads[hop.index()] += bytes; });
  };
  for (int domain = 0; domain < p.domains(); ++domain) {
    const int home = p.seat_node(seat_of_domain[static_cast<std::size_t>(domain)]);
    const double cost_s = storage.costs(home, domain).sum_s();
    way.mean_cost_s += cost_s / p.domains();
    way.most_cost_s = std::max(way.most_cost_s, cost_s);
    std::int64_t served = 0;
    for (const auto [node, bytes] : by_domain.row(domain)) {
      served += bytes;
      if (node != home) send(p.trip(static_cast<int>(node), home), bytes);
    }
    const auto place = static_cast<std::size_t>(home);
    send(p.reads ? machine::Trip{storage.vertices[place], p.nodes[place]}
                 : machine::Trip{p.nodes[place], storage.vertices[place]},
         served);
  }
  way.busiest = busiest_link(p.topology, loads);
  return way;
}

}  // namespace collio::simulate
