// See assign_by_node.hpp.
#include "policy/placement/assign_by_node.hpp"

#include <algorithm>
#include <array>
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
std::vector<Bid> bids_of(const PlacementProblem& p, bool hops_count) {
  const std::vector<HeavyNodes> heavy = heavy_of(p);
  const std::vector<int> room = room_of_nodes(p);
  int farthest = 0;
  std::vector<Bid> bids;
  for (const bool first : {true, false})
    for (int d = 0; d < p.domains(); ++d)
      for (const Heavy& home : heavy[at(d)]) {
        if (home.node == nobody || room[at(home.node)] == 0) continue;
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

/// Node of every domain; `room`: domains that a node may serve.
std::vector<int> place_by_bids(const PlacementProblem& p, const std::vector<Bid>& bids,
                               std::vector<int> room) {
  std::vector<int> home_of_domain(at(p.domains()), nobody);
  const auto take = [&](int domain, int node) {
    if (room[at(node)] == 0) return false;
    --room[at(node)];
    home_of_domain[at(domain)] = node;
    return true;
  };
  for (const Bid& bid : bids)
    if (home_of_domain[at(bid.domain)] == nobody) take(bid.domain, bid.node);
  int next = 0;
  for (int d = 0; d < p.domains(); ++d)
    if (home_of_domain[at(d)] == nobody && !take(d, p.seat_node(p.seat_in_order(d))))
      while (!take(d, next)) ++next;
  return home_of_domain;
}

/// Exchanges domains of two nodes, or moves one to a node with room, while that relieves the busiest node of
/// one switch.
class Exchanges {
 public:
  Exchanges(const PlacementProblem& p, const SwitchSums& sums, std::vector<int> home_of_domain)
      : p_(p),
        by_domain_(p.bytes.transposed()),
        loads_(p, sums, home_of_domain),
        home_of_domain_(std::move(home_of_domain)),
        held_(at(p.domains())),
        held_by_(p.nodes.size()),
        room_(room_of_nodes(p)),
        kept_here_(at(p.domains()), 0),
        kept_there_(p.nodes.size(), 0),
        work_left_(std::max(most_exchanges_tried, most_exchanges_tried_a_domain * p.domains())) {
    for (int d = 0; d < p.domains(); ++d) {
      const int home = home_of_domain_[at(d)];
      held_[at(d)] = {sums.of_domain(d), p.bytes(home, d)};
      held_by_[at(home)].push_back(d);
      --room_[at(home)];
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
  [[nodiscard]] const std::vector<int>& home_of_domain() const noexcept { return home_of_domain_; }

 private:
  /// Bytes of a domain: all, and those of the node that serves it.
  struct Held {
    std::int64_t bytes = 0, kept = 0;
  };
  /// An exchange of what the busiest node gives for what it gets from another; nobody: nothing. `worst`: the
  /// larger one of their loads afterwards.
  struct Move {
    std::int64_t worst = 0;
    int gives = nobody, gets = nobody, there = nobody;
  };

  [[nodiscard]] Held held(int domain) const noexcept { return domain == nobody ? Held{} : held_[at(domain)]; }
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

  /// O(domains of the node * (domains + nodes)).
  Move best_move(int node) {
    Move best{.worst = loads_.worst(node)};
    for (const auto [domain, bytes] : p_.bytes.row(node)) kept_here_[at(domain)] = bytes;
    for (const int gives : held_by_[at(node)]) try_all(node, gives, best);
    if (room_[at(node)] > 0) try_all(node, nobody, best);
    for (const auto [domain, bytes] : p_.bytes.row(node)) kept_here_[at(domain)] = 0;
    return best;
  }
  /// What the node gives, exchanged for all domains of others, and moved to all nodes with room.
  void try_all(int node, int gives, Move& best) {
    note_kept(gives, true);
    const auto attempt = [&](const Move& move) {
      if (move.there == node) return;
      const Held given = held(move.gives), got = held(move.gets);
      const std::int64_t here = move.gets == nobody ? 0 : kept_here_[at(move.gets)];
      const std::int64_t here_after = worst_after(node, given, got, here);
      if (here_after >= best.worst) return;
      const std::int64_t worst =
          std::max(here_after, worst_after(move.there, got, given, kept_there_[at(move.there)]));
      if (worst < best.worst) best = {worst, move.gives, move.gets, move.there};
    };
    const int nodes = static_cast<int>(p_.nodes.size());
    for (int gets = 0; gets < p_.domains(); ++gets) attempt({0, gives, gets, home_of_domain_[at(gets)]});
    for (int there = 0; gives != nobody && there < nodes; ++there)
      if (room_[at(there)] > 0) attempt({0, gives, nobody, there});
    work_left_ -= p_.domains() + nodes;
    note_kept(gives, false);
  }

  void note_kept(int domain, bool on) {
    if (domain == nobody) return;
    for (const auto [node, bytes] : by_domain_.row(domain)) kept_there_[at(node)] = on ? bytes : 0;
  }

  bool relieve(int node) {
    const Move move = best_move(node);
    if (move.there == nobody) return false;
    const Held given = held(move.gives), got = held(move.gets);
    const std::int64_t here_kept = move.gets == nobody ? 0 : p_.bytes(node, move.gets),
                       there_kept = move.gives == nobody ? 0 : p_.bytes(move.there, move.gives);
    const auto mine = after(node, given, got, here_kept), theirs = after(move.there, got, given, there_kept);
    std::tie(loads_.leaves[at(node)], loads_.enters[at(node)]) = mine;
    std::tie(loads_.leaves[at(move.there)], loads_.enters[at(move.there)]) = theirs;
    hand_over(move.gives, node, move.there, there_kept);
    hand_over(move.gets, move.there, node, here_kept);
    return true;
  }
  void hand_over(int domain, int from, int to, std::int64_t kept) {
    if (domain == nobody) return;
    std::erase(held_by_[at(from)], domain);
    held_by_[at(to)].push_back(domain);
    ++room_[at(from)], --room_[at(to)];
    home_of_domain_[at(domain)] = to;
    held_[at(domain)].kept = kept;
  }

  const PlacementProblem& p_;
  const NodeBytes by_domain_;
  NodeLoads loads_;
  /// [domain]
  std::vector<int> home_of_domain_;
  std::vector<Held> held_;
  /// [node]: domains it serves, and how many more it may
  std::vector<std::vector<int>> held_by_;
  std::vector<int> room_;
  /// [domain] on one node, [node] of one domain
  std::vector<std::int64_t> kept_here_, kept_there_;
  std::int64_t work_left_;
};

std::vector<int> homes_in_order(const PlacementProblem& p) {
  std::vector<int> home_of_domain(at(p.domains()));
  for (int d = 0; d < p.domains(); ++d) home_of_domain[at(d)] = p.seat_node(p.seat_in_order(d));
  return home_of_domain;
}

struct Exchanged {
  std::vector<int> home_of_domain;
  bool limited = false;
};

/// From the best one of domains in order, and domains by bids with and without spare seats.
Exchanged exchange_on_switch(const PlacementProblem& p, const SwitchSums& sums,
                             const std::vector<Bid>& bids) {
  std::vector<int> begin = homes_in_order(p);
  const auto bytes = [&](const std::vector<int>& home_of_domain) {
    const NodeLoads loads(p, sums, home_of_domain);
    return loads.worst(loads.busiest());
  };
  std::int64_t least = bytes(begin);
  for (const Seats which : {Seats::aggregators, Seats::all}) {
    std::vector<int> by_bids = place_by_bids(p, bids, room_of_nodes(p, which));
    if (const std::int64_t now = bytes(by_bids); now < least) begin = std::move(by_bids), least = now;
    if (p.spare == 0) break;
  }
  Exchanges exchanges(p, sums, std::move(begin));
  const bool limited = exchanges.run(least_on_busiest(p, sums));
  return {exchanges.home_of_domain(), limited};
}

AssignmentChoice choose_on_switch(const PlacementProblem& p) {
  const SwitchSums sums = sums_of(p);
  AssignmentChoice in_order = in_order_on_switch(p, sums, NodeLoads(p, sums));
  if (in_order.reason.why != WhyAssignment::nothing_sooner) return in_order;
  const auto assigned = [&](Assignment how, const std::vector<int>& homes) {
    std::vector<int> seats = seats_at(p, homes);
    PlacementMeasures measures = measure_on_switch(p, sums, NodeLoads(p, sums, homes), seats);
    return Assigned{how, std::move(seats), std::move(measures)};
  };
  const std::vector<Bid> bids = bids_of(p, false);
  const Exchanged exchanged = exchange_on_switch(p, sums, bids);
  std::vector<Assigned> all{
      {Assignment::in_order, std::move(in_order.seat_of_domain), std::move(in_order.before)}};
  all.push_back(assigned(Assignment::locality_aware, place_by_bids(p, bids, room_of_nodes(p))));
  all.push_back(assigned(Assignment::least_congestion, exchanged.home_of_domain));
  AssignmentChoice choice = choose_among(std::move(all));
  choice.reason.limited = exchanged.limited || p.sums;
  return choice;
}

}  // namespace

bool few_enough_for_exact(const PlacementProblem& p) {
  const std::int64_t most = only_switch(p) ? most_exact_costs_on_switch : most_exact_costs;
  const std::vector<int> room = room_of_nodes(p);
  const std::int64_t homes = std::ranges::count_if(room, [](int domains) { return domains > 0; });
  return p.domains() * std::max<std::int64_t>(p.domains(), homes) <= most;
}

std::vector<int> assign_by_node(Assignment policy, const PlacementProblem& p, Seats which) {
  if (policy == Assignment::in_order) return seats_at(p, homes_in_order(p));
  const std::vector<Bid> bids = bids_of(p, policy != Assignment::locality_aware && !only_switch(p));
  if (policy != Assignment::least_congestion || !only_switch(p))
    return seats_at(p, place_by_bids(p, bids, room_of_nodes(p, which)));
  return seats_at(p, exchange_on_switch(p, sums_of(p), bids).home_of_domain);
}

AssignmentChoice choose_by_node(const PlacementProblem& p) {
  if (only_switch(p)) return choose_on_switch(p);
  std::vector<Assigned> all;
  const auto add = [&](Assignment how, Seats which) {
    std::vector<int> seats = assign_by_node(how, p, which);
    PlacementMeasures measures = measure(p, seats);
    all.push_back({how, std::move(seats), std::move(measures)});
  };
  add(Assignment::in_order, Seats::aggregators);
  if (all.front().measures.busiest.bytes > 0) {
    add(Assignment::least_hop_bytes, Seats::aggregators);
    if (p.spare > 0) add(Assignment::least_hop_bytes, Seats::all);
  }
  return choose_among(std::move(all));
}

}  // namespace collio::policy
