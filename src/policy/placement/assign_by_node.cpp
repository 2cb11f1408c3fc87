// See assign_by_node.hpp.
#include "policy/placement/assign_by_node.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/index.hpp"

namespace collio::policy {

namespace {

using core::at;

constexpr int nobody = -1;
constexpr std::size_t most_heavy = 8;  ///< nodes that a domain may go to for its bytes' sake

/// Bytes that a node has of a domain.
struct Heavy {
  std::int64_t bytes = 0;
  int node = nobody;
};
using HeavyNodes = std::array<Heavy, most_heavy>;

int slots_of(const PlacementProblem& p) {
  const int seats = static_cast<int>(p.seats.size());
  return seats * std::max(1, (p.domains() + seats - 1) / seats);
}

/// A domain's place: with more domains than aggregators each of these has several.
struct Slots {
  explicit Slots(const PlacementProblem& p) : of_node(p.nodes.size()), seats(p.seats) {
    for (int slot = 0; slot < slots_of(p); ++slot) of_node[at(home(slot))].push_back(slot);
  }
  [[nodiscard]] int seat(int slot) const noexcept { return slot % static_cast<int>(seats.size()); }
  [[nodiscard]] int home(int slot) const noexcept { return seats[at(seat(slot))]; }
  [[nodiscard]] std::vector<int> seat_of_domain(std::vector<int> slot_of_domain) const {
    for (int& slot : slot_of_domain) slot = seat(slot);
    return slot_of_domain;
  }

  std::vector<std::vector<int>> of_node;  ///< ascending
  const std::vector<int>& seats;
};

/// Sums over rows and columns, and the nodes with most bytes of each domain.
struct Sums {
  explicit Sums(const PlacementProblem& p)
      : of_node(p.nodes.size()),
        most_of_node(p.nodes.size()),
        of_domain(at(p.domains())),
        heavy(at(p.domains())) {
    std::vector<std::int64_t> least_heavy(at(p.domains()), 0);
    for (int node = 0; node < p.bytes.rows(); ++node) {
      const auto bytes = p.bytes.row(node);
      std::int64_t sum = 0, most = 0;
      for (std::size_t d = 0; d < bytes.size(); ++d) {
        sum += bytes[d];
        most = std::max(most, bytes[d]);
        of_domain[d] += bytes[d];
      }
      of_node[at(node)] = sum;
      most_of_node[at(node)] = most;
      for (std::size_t d = 0; d < bytes.size(); ++d)
        if (bytes[d] > least_heavy[d]) least_heavy[d] = note(heavy[d], {bytes[d], node});
    }
  }

  std::vector<std::int64_t> of_node, most_of_node, of_domain;
  std::vector<HeavyNodes> heavy;  ///< [domain], most bytes first

 private:
  /// Keeps the order; returns the least that is kept.
  static std::int64_t note(HeavyNodes& nodes, const Heavy& one) {
    std::size_t i = most_heavy - 1;
    for (; i > 0 && nodes[i - 1].bytes < one.bytes; --i) nodes[i] = nodes[i - 1];
    nodes[i] = one;
    return nodes.back().bytes;
  }
};

/// Null: the network is another, or nodes of the job share links.
const machine::SingleSwitch* only_switch(const PlacementProblem& p) {
  const auto* one = std::get_if<machine::SingleSwitch>(&p.topology.shape());
  if (!one) return nullptr;
  std::vector<char> seen(at(one->nodes), 0);
  for (const int node : p.nodes)
    if (std::exchange(seen[at(node)], 1) != 0) return nullptr;
  return one;
}

/// What the link of each node carries on one switch.
struct NodeLoads {
  NodeLoads(const PlacementProblem& p, const Sums& sums, const std::vector<int>& seat_of_domain)
      : leaves(sums.of_node), enters(p.nodes.size(), 0) {
    for (int d = 0; d < p.domains(); ++d) {
      const int home = p.seat_node(seat_of_domain[at(d)]);
      const std::int64_t kept = p.bytes(home, d);
      leaves[at(home)] -= kept;
      enters[at(home)] += sums.of_domain[at(d)] - kept;
    }
  }
  [[nodiscard]] std::int64_t worst(int node) const noexcept {
    return std::max(leaves[at(node)], enters[at(node)]);
  }
  [[nodiscard]] int busiest() const noexcept {
    int most = 0;
    for (int node = 1; node < static_cast<int>(leaves.size()); ++node)
      if (worst(node) > worst(most)) most = node;
    return most;
  }

  std::vector<std::int64_t> leaves, enters;  ///< [node of the job]: bytes for other nodes' domains, and of
                                             ///< other nodes for its own
};

/// As measure(), from sums: O(nodes + domains).
PlacementMeasures measure_on_switch(const PlacementProblem& p, const Sums& sums,
                                    const std::vector<int>& seat_of_domain) {
  PlacementMeasures m;
  m.seat_bytes.assign(p.seats.size(), 0);
  m.bytes = std::accumulate(sums.of_node.begin(), sums.of_node.end(), std::int64_t{0});
  for (std::size_t d = 0; d < seat_of_domain.size(); ++d)
    m.seat_bytes[at(seat_of_domain[d])] += sums.of_domain[d];
  const NodeLoads loads(p, sums, seat_of_domain);
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
  note_imbalance(m);
  return m;
}

/// Bytes that the busiest link of a switch carries at least, however domains are placed. A node keeps at most
/// as many domains as it has slots, and a domain stays away from all nodes but one.
std::int64_t least_on_busiest(const PlacementProblem& p, const Sums& sums, const Slots& slots) {
  std::int64_t least = 0, away = 0, homes = 0;
  for (std::size_t node = 0; node < p.nodes.size(); ++node) {
    const auto room = static_cast<std::int64_t>(slots.of_node[node].size());
    least = std::max(least, sums.of_node[node] - room * sums.most_of_node[node]);
    homes += room > 0 ? 1 : 0;
  }
  for (std::size_t d = 0; d < sums.of_domain.size(); ++d) {
    const std::int64_t enters = sums.of_domain[d] - sums.heavy[d].front().bytes;
    least = std::max(least, enters);
    away += enters;
  }
  return std::max(least, (away + homes - 1) / homes);
}

/// A domain at one of the nodes with most of its bytes, and what that is worth.
struct Bid {
  std::int64_t worth = 0;
  int domain = 0, node = 0;
};

/// Bytes that stay on the node, or, where hops count, bytes of the heaviest nodes times the hops by which
/// they are nearer than the farthest.
std::vector<Bid> bids_of(const PlacementProblem& p, const Sums& sums, const Slots& slots, bool hops_count) {
  int farthest = 0;
  std::vector<Bid> bids;
  for (const bool first : {true, false})
    for (int d = 0; d < p.domains(); ++d)
      for (const Heavy& home : sums.heavy[at(d)]) {
        if (home.node == nobody || slots.of_node[at(home.node)].empty()) continue;
        Bid bid{home.bytes, d, home.node};
        if (hops_count) bid.worth = 0;
        for (const Heavy& other : sums.heavy[at(d)]) {
          if (!hops_count || other.node == nobody) break;
          const int distance = p.distance(other.node, home.node);
          if (first)
            farthest = std::max(farthest, distance);
          else
            bid.worth += other.bytes * (farthest - distance);
        }
        if (!first) bids.push_back(bid);
      }
  std::ranges::sort(bids, {}, [](const Bid& b) { return std::tuple(-b.worth, b.domain, b.node); });
  return bids;
}

/// Slot of every domain.
std::vector<int> place_by_bids(const PlacementProblem& p, const std::vector<Bid>& bids, const Slots& slots) {
  std::vector<int> slot_of_domain(at(p.domains()), nobody);
  std::vector<std::size_t> taken(p.nodes.size(), 0);
  const auto take = [&](int domain, int node) {
    const std::vector<int>& there = slots.of_node[at(node)];
    if (taken[at(node)] == there.size()) return false;
    slot_of_domain[at(domain)] = there[taken[at(node)]++];
    return true;
  };
  for (const Bid& bid : bids)
    if (slot_of_domain[at(bid.domain)] == nobody) take(bid.domain, bid.node);
  int next = 0;
  for (int d = 0; d < p.domains(); ++d)
    if (slot_of_domain[at(d)] == nobody && !take(d, slots.home(d)))
      while (!take(d, next)) ++next;
  return slot_of_domain;
}

/// Exchanges what two slots hold while that relieves the busiest node of one switch.
class Exchanges {
 public:
  Exchanges(const PlacementProblem& p, const Sums& sums, const Slots& slots,
            const std::vector<int>& slot_of_domain)
      : p_(p),
        sums_(sums),
        slots_(slots),
        loads_(p, sums, slots.seat_of_domain(slot_of_domain)),
        held_(at(slots_of(p)), nobody) {
    for (int d = 0; d < p.domains(); ++d) held_[at(slot_of_domain[at(d)])] = d;
  }

  /// True: it ended at the limit.
  bool run(std::int64_t least_bytes) {
    for (int node = loads_.busiest(); loads_.worst(node) > least_bytes; node = loads_.busiest()) {
      if (work_left_ <= 0) return true;
      if (!relieve(node)) return false;
    }
    return false;
  }
  [[nodiscard]] std::vector<int> seat_of_domain() const {
    std::vector<int> seats(at(p_.domains()));
    for (int slot = 0; slot < static_cast<int>(held_.size()); ++slot)
      if (held_[at(slot)] != nobody) seats[at(held_[at(slot)])] = slots_.seat(slot);
    return seats;
  }

 private:
  struct Load {
    std::int64_t leaves = 0, enters = 0;
    [[nodiscard]] std::int64_t worst() const noexcept { return std::max(leaves, enters); }
  };

  [[nodiscard]] std::int64_t kept(int node, int domain) const noexcept {
    return domain == nobody ? 0 : p_.bytes(node, domain);
  }
  [[nodiscard]] std::int64_t all_of(int domain) const noexcept {
    return domain == nobody ? 0 : sums_.of_domain[at(domain)];
  }
  /// Of a node that gives a domain away for another.
  [[nodiscard]] Load after(int node, int gives, int gets) const noexcept {
    const std::int64_t more_kept = kept(node, gets) - kept(node, gives);
    return {loads_.leaves[at(node)] - more_kept,
            loads_.enters[at(node)] + all_of(gets) - all_of(gives) - more_kept};
  }

  bool relieve(int node) {
    std::int64_t best = loads_.worst(node);
    int from = nobody, to = nobody;
    for (const int slot : slots_.of_node[at(node)])
      for (int other = 0; other < static_cast<int>(held_.size()); ++other) {
        const int gives = held_[at(slot)], gets = held_[at(other)], there = slots_.home(other);
        const std::int64_t here_after = after(node, gives, gets).worst();
        if (here_after >= best || there == node) continue;
        const std::int64_t worst = std::max(here_after, after(there, gets, gives).worst());
        if (worst < best) best = worst, from = slot, to = other;
      }
    work_left_ -= static_cast<std::int64_t>(slots_.of_node[at(node)].size() * held_.size() + p_.nodes.size());
    if (from == nobody) return false;
    const int gives = held_[at(from)], gets = held_[at(to)], there = slots_.home(to);
    const Load mine = after(node, gives, gets), theirs = after(there, gets, gives);
    loads_.leaves[at(node)] = mine.leaves, loads_.enters[at(node)] = mine.enters;
    loads_.leaves[at(there)] = theirs.leaves, loads_.enters[at(there)] = theirs.enters;
    std::swap(held_[at(from)], held_[at(to)]);
    return true;
  }

  const PlacementProblem& p_;
  const Sums& sums_;
  const Slots& slots_;
  NodeLoads loads_;
  std::vector<int> held_;  ///< [slot]: its domain
  std::int64_t work_left_ = most_exchanges_tried;
};

std::vector<int> slots_in_order(const PlacementProblem& p) {
  std::vector<int> slot_of_domain(at(p.domains()));
  std::iota(slot_of_domain.begin(), slot_of_domain.end(), 0);
  return slot_of_domain;
}

struct Exchanged {
  std::vector<int> seat_of_domain;
  bool limited = false;
};

/// From the better one of domains in order and domains by bids.
Exchanged exchange_on_switch(const PlacementProblem& p, const Sums& sums, const Slots& slots,
                             const std::vector<int>& by_bids) {
  const auto bytes = [&](const std::vector<int>& slot_of_domain) {
    const NodeLoads loads(p, sums, slots.seat_of_domain(slot_of_domain));
    return loads.worst(loads.busiest());
  };
  std::vector<int> begin = slots_in_order(p);
  if (bytes(by_bids) < bytes(begin)) begin = by_bids;
  Exchanges exchanges(p, sums, slots, begin);
  const bool limited = exchanges.run(least_on_busiest(p, sums, slots));
  return {exchanges.seat_of_domain(), limited};
}

AssignmentChoice choose_on_switch(const PlacementProblem& p, const machine::SingleSwitch& one) {
  const Sums sums(p);
  const Slots slots(p);
  const auto assigned = [&](Assignment how, std::vector<int> seats) {
    PlacementMeasures measures = measure_on_switch(p, sums, seats);
    return Assigned{how, std::move(seats), std::move(measures)};
  };
  std::vector<Assigned> all{assigned(Assignment::in_order, slots.seat_of_domain(slots_in_order(p)))};
  const double in_order_s = all.front().measures.busiest.time_s;
  const double least_s = static_cast<double>(least_on_busiest(p, sums, slots)) / one.link.rate_bytes_per_s;
  if (least_s > (1 - least_gain) * in_order_s) {
    AssignmentChoice choice = choose_among(std::move(all));
    choice.reason.why = WhyAssignment::bounded;
    return choice;
  }
  if (in_order_s == 0) return choose_among(std::move(all));
  const std::vector<int> by_bids = place_by_bids(p, bids_of(p, sums, slots, false), slots);
  Exchanged exchanged = exchange_on_switch(p, sums, slots, by_bids);
  all.push_back(assigned(Assignment::locality_aware, slots.seat_of_domain(by_bids)));
  all.push_back(assigned(Assignment::least_congestion, std::move(exchanged.seat_of_domain)));
  AssignmentChoice choice = choose_among(std::move(all));
  choice.reason.limited = exchanged.limited;
  return choice;
}

}  // namespace

bool few_enough_for_exact(const PlacementProblem& p) {
  const std::int64_t most = only_switch(p) ? most_exact_costs_on_switch : most_exact_costs;
  return std::int64_t{p.domains()} * slots_of(p) <= most;
}

std::vector<int> assign_by_node(Assignment policy, const PlacementProblem& p) {
  const Slots slots(p);
  if (policy == Assignment::in_order) return slots.seat_of_domain(slots_in_order(p));
  const Sums sums(p);
  const bool hops_count = policy != Assignment::locality_aware && !only_switch(p);
  const std::vector<int> by_bids = place_by_bids(p, bids_of(p, sums, slots, hops_count), slots);
  if (policy != Assignment::least_congestion || !only_switch(p)) return slots.seat_of_domain(by_bids);
  return exchange_on_switch(p, sums, slots, by_bids).seat_of_domain;
}

AssignmentChoice choose_by_node(const PlacementProblem& p) {
  if (const machine::SingleSwitch* one = only_switch(p)) return choose_on_switch(p, *one);
  std::vector<Assigned> all;
  for (const Assignment how : {Assignment::in_order, Assignment::least_hop_bytes}) {
    std::vector<int> seats = assign_by_node(how, p);
    PlacementMeasures measures = measure(p, seats);
    all.push_back({how, std::move(seats), std::move(measures)});
    if (all.front().measures.busiest.bytes == 0) break;
  }
  return choose_among(std::move(all));
}

}  // namespace collio::policy
