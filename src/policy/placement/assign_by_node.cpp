// See assign_by_node.hpp.
#include "policy/placement/assign_by_node.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/index.hpp"
#include "policy/placement/switch_sums.hpp"

namespace collio::policy {

namespace {

using core::at;

constexpr int nobody = -1;
/// nodes that a domain may go to for its bytes' sake
constexpr std::size_t most_heavy = 8;

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

  /// ascending
  std::vector<std::vector<int>> of_node;
  const std::vector<int>& seats;
};

/// The nodes with most bytes of each domain, most bytes first.
std::vector<HeavyNodes> heavy_of(const PlacementProblem& p) {
  std::vector<HeavyNodes> heavy(at(p.domains()));
  for (int node = 0; node < p.bytes.rows(); ++node)
    for (const auto [domain, bytes] : p.bytes.row(node)) {
      HeavyNodes& nodes = heavy[at(domain)];
      if (bytes <= nodes.back().bytes) continue;
      std::size_t i = most_heavy - 1;
      for (; i > 0 && nodes[i - 1].bytes < bytes; --i) nodes[i] = nodes[i - 1];
      nodes[i] = {bytes, node};
    }
  return heavy;
}

SwitchSums sums_of(const PlacementProblem& p) { return p.sums ? *p.sums : SwitchSums(p); }

/// A domain at one of the nodes with most of its bytes, and what that is worth.
struct Bid {
  std::int64_t worth = 0;
  int domain = 0, node = 0;
};

/// Bytes that stay on the node, or, where hops count, bytes of the heaviest nodes times the hops by which
/// they are nearer than the farthest.
std::vector<Bid> bids_of(const PlacementProblem& p, const Slots& slots, bool hops_count) {
  const std::vector<HeavyNodes> heavy = heavy_of(p);
  int farthest = 0;
  std::vector<Bid> bids;
  for (const bool first : {true, false})
    for (int d = 0; d < p.domains(); ++d)
      for (const Heavy& home : heavy[at(d)]) {
        if (home.node == nobody || slots.of_node[at(home.node)].empty()) continue;
        Bid bid{home.bytes, d, home.node};
        if (hops_count) bid.worth = 0;
        for (const Heavy& other : heavy[at(d)]) {
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
  Exchanges(const PlacementProblem& p, const SwitchSums& sums, const Slots& slots,
            const std::vector<int>& slot_of_domain)
      : p_(p),
        by_domain_(p.bytes.transposed()),
        slots_(slots),
        loads_(p, sums, slots.seat_of_domain(slot_of_domain)),
        held_(at(slots_of(p))),
        kept_here_(at(p.domains()), 0),
        kept_there_(p.nodes.size(), 0),
        work_left_(std::max(most_exchanges_tried, most_exchanges_tried_a_domain * slots_of(p))) {
    for (int d = 0; d < p.domains(); ++d) {
      const int slot = slot_of_domain[at(d)];
      held_[at(slot)] = {d, sums.of_domain(d), p.bytes(slots.home(slot), d)};
    }
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
      if (const int domain = held_[at(slot)].domain; domain != nobody) seats[at(domain)] = slots_.seat(slot);
    return seats;
  }

 private:
  /// A slot's domain.
  struct Held {
    int domain = nobody;
    /// of the domain: all, and those of the slot's node
    std::int64_t bytes = 0, kept = 0;
  };
  /// An exchange, and the loads of the busiest node and of the other one afterwards.
  struct Move {
    std::int64_t worst = 0;
    int from = nobody, to = nobody;
  };

  /// Bytes that leave or enter a node that gives a domain away for another, of which it keeps `kept`.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> after(int node, const Held& gives, const Held& gets,
                                                            std::int64_t kept) const noexcept {
    const std::int64_t more_kept = kept - gives.kept;
    return {loads_.leaves[at(node)] - more_kept,
            loads_.enters[at(node)] + gets.bytes - gives.bytes - more_kept};
  }
  [[nodiscard]] std::int64_t worst_after(int node, const Held& gives, const Held& gets,
                                         std::int64_t kept) const noexcept {
    const auto [leaves, enters] = after(node, gives, gets, kept);
    return std::max(leaves, enters);
  }

  /// What the node's domains are exchanged for, tried with all slots. O(slots of the node * slots).
  Move best_move(int node) {
    Move best{.worst = loads_.worst(node)};
    for (const auto [domain, bytes] : p_.bytes.row(node)) kept_here_[at(domain)] = bytes;
    for (const int slot : slots_.of_node[at(node)]) {
      const Held& gives = held_[at(slot)];
      note_kept(gives.domain, true);
      for (int other = 0; other < static_cast<int>(held_.size()); ++other) {
        const Held& gets = held_[at(other)];
        const std::int64_t here = gets.domain == nobody ? 0 : kept_here_[at(gets.domain)];
        const std::int64_t here_after = worst_after(node, gives, gets, here);
        const int there = slots_.home(other);
        if (here_after >= best.worst || there == node) continue;
        const std::int64_t worst =
            std::max(here_after, worst_after(there, gets, gives, kept_there_[at(there)]));
        if (worst < best.worst) best = {worst, slot, other};
      }
      note_kept(gives.domain, false);
    }
    for (const auto [domain, bytes] : p_.bytes.row(node)) kept_here_[at(domain)] = 0;
    return best;
  }

  void note_kept(int domain, bool on) {
    if (domain == nobody) return;
    for (const auto [node, bytes] : by_domain_.row(domain)) kept_there_[at(node)] = on ? bytes : 0;
  }

  bool relieve(int node) {
    const Move move = best_move(node);
    work_left_ -= static_cast<std::int64_t>(slots_.of_node[at(node)].size() * held_.size() + p_.nodes.size());
    if (move.from == nobody) return false;
    Held &gives = held_[at(move.from)], &gets = held_[at(move.to)];
    const int there = slots_.home(move.to);
    const std::int64_t here_kept = gets.domain == nobody ? 0 : p_.bytes(node, gets.domain),
                       there_kept = gives.domain == nobody ? 0 : p_.bytes(there, gives.domain);
    const auto mine = after(node, gives, gets, here_kept), theirs = after(there, gets, gives, there_kept);
    std::tie(loads_.leaves[at(node)], loads_.enters[at(node)]) = mine;
    std::tie(loads_.leaves[at(there)], loads_.enters[at(there)]) = theirs;
    std::swap(gives, gets);
    gives.kept = here_kept, gets.kept = there_kept;
    return true;
  }

  const PlacementProblem& p_;
  const NodeBytes by_domain_;
  const Slots& slots_;
  NodeLoads loads_;
  /// [slot]
  std::vector<Held> held_;
  /// [domain] on one node, [node] of one domain
  std::vector<std::int64_t> kept_here_, kept_there_;
  std::int64_t work_left_;
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
Exchanged exchange_on_switch(const PlacementProblem& p, const SwitchSums& sums, const Slots& slots,
                             const std::vector<int>& by_bids) {
  const auto bytes = [&](const std::vector<int>& slot_of_domain) {
    const NodeLoads loads(p, sums, slots.seat_of_domain(slot_of_domain));
    return loads.worst(loads.busiest());
  };
  std::vector<int> begin = slots_in_order(p);
  if (bytes(by_bids) < bytes(begin)) begin = by_bids;
  Exchanges exchanges(p, sums, slots, begin);
  const bool limited = exchanges.run(least_on_busiest(p, sums));
  return {exchanges.seat_of_domain(), limited};
}

AssignmentChoice choose_on_switch(const PlacementProblem& p) {
  const SwitchSums sums = sums_of(p);
  AssignmentChoice in_order = in_order_on_switch(p, sums, NodeLoads(p, sums));
  if (in_order.reason.why != WhyAssignment::nothing_sooner) return in_order;
  const Slots slots(p);
  const auto assigned = [&](Assignment how, std::vector<int> seats) {
    PlacementMeasures measures = measure_on_switch(p, sums, NodeLoads(p, sums, seats), seats);
    return Assigned{how, std::move(seats), std::move(measures)};
  };
  const std::vector<int> by_bids = place_by_bids(p, bids_of(p, slots, false), slots);
  Exchanged exchanged = exchange_on_switch(p, sums, slots, by_bids);
  std::vector<Assigned> all{
      {Assignment::in_order, std::move(in_order.seat_of_domain), std::move(in_order.before)}};
  all.push_back(assigned(Assignment::locality_aware, slots.seat_of_domain(by_bids)));
  all.push_back(assigned(Assignment::least_congestion, std::move(exchanged.seat_of_domain)));
  AssignmentChoice choice = choose_among(std::move(all));
  choice.reason.limited = exchanged.limited || p.sums;
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
  const bool hops_count = policy != Assignment::locality_aware && !only_switch(p);
  const std::vector<int> by_bids = place_by_bids(p, bids_of(p, slots, hops_count), slots);
  if (policy != Assignment::least_congestion || !only_switch(p)) return slots.seat_of_domain(by_bids);
  return exchange_on_switch(p, sums_of(p), slots, by_bids).seat_of_domain;
}

AssignmentChoice choose_by_node(const PlacementProblem& p) {
  if (only_switch(p)) return choose_on_switch(p);
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
