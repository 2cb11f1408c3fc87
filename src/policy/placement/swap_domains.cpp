// See swap_domains.hpp.
#include "policy/placement/swap_domains.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/index.hpp"

namespace collio::policy {

namespace {

constexpr int none = -1;
/// that pass the busiest link, those with most bytes on it
constexpr std::size_t most_domains_moved = 16;
/// exchanges tried in full for one link
constexpr std::size_t most_trials = 32;
/// some 40 MB of them
constexpr std::size_t most_routes_kept = 1 << 20;

using core::at;

/// The hops between the job's nodes and its homes, the nodes with seats: asked for over and over, so kept if
/// they are not too many.
class Routes {
 public:
  explicit Routes(const PlacementProblem& problem) : p_(problem), row_of_home_(problem.nodes.size(), none) {
    for (const int home : p_.seats)
      if (row_of_home_[at(home)] == none)
        row_of_home_[at(home)] = static_cast<int>(homes_.size()), homes_.push_back(home);
    if (homes_.size() * p_.nodes.size() > most_routes_kept) return;
    begins_.push_back(0);
    for (const int home : homes_)
      for (int node = 0; node < static_cast<int>(p_.nodes.size()); ++node) {
        if (node != home)
          p_.topology.route(p_.trip(node, home), [&](const machine::Hop& hop) {
            hops_.push_back(static_cast<std::uint32_t>(hop.index()));
          });
        begins_.push_back(hops_.size());
      }
  }

  [[nodiscard]] const std::vector<int>& homes() const noexcept { return homes_; }
  /// Its place among the homes.
  [[nodiscard]] int row_of(int home) const noexcept { return row_of_home_[at(home)]; }

  /// visit(index of a hop), for all of a route; none from a node to itself.
  template <class Visit>
  void route(int node, int home, Visit&& visit) const {
    if (begins_.empty()) {
      if (node != home)
        p_.topology.route(p_.trip(node, home), [&](const machine::Hop& hop) { visit(hop.index()); });
      return;
    }
    const std::size_t pair = at(row_of(home)) * p_.nodes.size() + at(node);
    for (std::size_t i = begins_[pair]; i < begins_[pair + 1]; ++i) visit(std::size_t{hops_[i]});
  }

 private:
  const PlacementProblem& p_;
  std::vector<int> homes_, row_of_home_;
  /// route after route
  std::vector<std::uint32_t> hops_;
  /// [place of home * nodes + node]; empty: not kept
  std::vector<std::size_t> begins_;
};

/// A domain goes to a seat, and `other`, if there is one, the other way.
struct Move {
  /// bytes that the busiest link has less
  std::int64_t relief = 0;
  int domain = 0, other = none, seat = 0;
};

class Exchange {
 public:
  Exchange(const PlacementProblem& problem, std::vector<int> seat_of_domain, std::int64_t most_work)
      : p_(problem),
        by_domain_(p_.bytes.transposed()),
        routes_(problem),
        seat_of_(std::move(seat_of_domain)),
        room_(p_.seats.size(), p_.turns()),
        loads_(2 * at(p_.topology.links()), 0),
        times_per_byte_(at(p_.topology.links())),
        old_load_(loads_.size(), untouched),
        work_left_(most_work) {
    for (int link = 0; link < p_.topology.links(); ++link)
      times_per_byte_[at(link)] = 1 / p_.topology.cable(link).rate_bytes_per_s;
    for (const int seat : seat_of_) --room_[at(seat)];
    for (int domain = 0; domain < p_.domains(); ++domain) put(domain, seat_of_[at(domain)], 1);
    forget_touched();
  }

  std::vector<int> run() {
    while (work_left_ > 0 && improve(busiest())) {}
    return std::move(seat_of_);
  }

 private:
  static constexpr std::int64_t untouched = -1;

  [[nodiscard]] double time_s(std::size_t hop, std::int64_t bytes) const {
    return static_cast<double>(bytes) * times_per_byte_[hop / 2];
  }

  std::size_t busiest() {
    std::size_t most = 0;
    for (std::size_t hop = 1; hop < loads_.size(); ++hop)
      if (time_s(hop, loads_[hop]) > time_s(most, loads_[most])) most = hop;
    work_left_ -= static_cast<std::int64_t>(loads_.size());
    return most;
  }

  bool improve(std::size_t hop) {
    if (loads_.empty() || loads_[hop] == 0) return false;
    const core::Matrix<std::int64_t> through = bytes_through(hop);
    std::vector<Move> moves;
    for (const int domain : domains_on(through)) add_moves(domain, through, moves);
    const std::size_t tried = std::min(moves.size(), most_trials);
    std::partial_sort(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(tried), moves.end(),
                      [](const Move& a, const Move& b) {
                        return std::tuple(-a.relief, a.domain, a.other, a.seat) <
                               std::tuple(-b.relief, b.domain, b.other, b.seat);
                      });
    for (std::size_t i = 0; i < tried && work_left_ > 0; ++i)
      if (try_move(moves[i])) return true;
    return false;
  }

  /// Bytes of every domain that would pass the link if it were served from a home: [home][domain].
  core::Matrix<std::int64_t> bytes_through(std::size_t hop) {
    core::Matrix<std::int64_t> through({static_cast<int>(routes_.homes().size()), p_.domains()});
    for (const int home : routes_.homes())
      for (int node = 0; node < p_.bytes.rows(); ++node) {
        if (!passes(node, home, hop)) continue;
        const auto sums = through.row(routes_.row_of(home));
        const auto row = p_.bytes.row(node);
        for (const auto [domain, bytes] : row) sums[at(domain)] += bytes;
        work_left_ -= static_cast<std::int64_t>(row.size());
      }
    return through;
  }

  bool passes(int node, int home, std::size_t hop) {
    bool found = false;
    routes_.route(node, home, [&](std::size_t on_way) {
      found |= on_way == hop;
      --work_left_;
    });
    return found;
  }

  /// Bytes of a domain on the link when an aggregator serves it.
  [[nodiscard]] std::int64_t share(const core::Matrix<std::int64_t>& through, int domain, int seat) const {
    return through(routes_.row_of(p_.seat_node(seat)), domain);
  }

  std::vector<int> domains_on(const core::Matrix<std::int64_t>& through) const {
    std::vector<int> found;
    for (int d = 0; d < p_.domains(); ++d)
      if (share(through, d, seat_of_[at(d)]) > 0) found.push_back(d);
    std::stable_sort(found.begin(), found.end(), [&](int a, int b) {
      return share(through, a, seat_of_[at(a)]) > share(through, b, seat_of_[at(b)]);
    });
    if (found.size() > most_domains_moved) found.resize(most_domains_moved);
    return found;
  }

  /// Everything that could be done with a domain and leaves the link fewer bytes.
  void add_moves(int domain, const core::Matrix<std::int64_t>& through, std::vector<Move>& moves) {
    const int seat = seat_of_[at(domain)];
    const std::int64_t now = share(through, domain, seat);
    for (int other = 0; other < p_.domains(); ++other) {
      const int there = seat_of_[at(other)];
      const std::int64_t relief =
          now + share(through, other, there) - share(through, domain, there) - share(through, other, seat);
      if (relief > 0) moves.push_back({relief, domain, other, there});
    }
    // Seats of a node are alike: one of them is enough.
    std::vector<char> seen(routes_.homes().size(), 0);
    for (int there = 0; there < static_cast<int>(p_.seats.size()); ++there) {
      if (room_[at(there)] <= 0 || std::exchange(seen[at(routes_.row_of(p_.seat_node(there)))], 1) != 0)
        continue;
      if (const std::int64_t relief = now - share(through, domain, there); relief > 0)
        moves.push_back({relief, domain, none, there});
    }
    work_left_ -= p_.domains() + static_cast<std::int64_t>(p_.seats.size());
  }

  /// Makes a move; undoes it unless all links it touches are then done sooner than the slowest of them was.
  bool try_move(const Move& move) {
    const int seat = seat_of_[at(move.domain)];
    put(move.domain, seat, -1);
    put(move.domain, move.seat, 1);
    if (move.other != none) {
      put(move.other, move.seat, -1);
      put(move.other, seat, 1);
    }
    double before = 0, after = 0;
    for (const std::size_t hop : touched_) {
      before = std::max(before, time_s(hop, old_load_[hop]));
      after = std::max(after, time_s(hop, loads_[hop]));
    }
    const bool better = after < before;
    if (!better)
      for (const std::size_t hop : touched_) loads_[hop] = old_load_[hop];
    forget_touched();
    if (!better) return false;
    seat_of_[at(move.domain)] = move.seat;
    if (move.other != none)
      seat_of_[at(move.other)] = seat;
    else
      ++room_[at(seat)], --room_[at(move.seat)];
    return true;
  }

  /// Adds (sign 1) or takes away (-1) what a domain puts on the links when an aggregator serves it.
  void put(int domain, int seat, int sign) {
    const int home = p_.seat_node(seat);
    const auto nodes = by_domain_.row(domain);
    for (const DomainBytes& of_node : nodes)
      routes_.route(static_cast<int>(of_node.domain), home, [&](std::size_t hop) {
        if (old_load_[hop] == untouched) old_load_[hop] = loads_[hop], touched_.push_back(hop);
        loads_[hop] += sign * of_node.bytes;
        --work_left_;
      });
    work_left_ -= static_cast<std::int64_t>(nodes.size());
  }

  void forget_touched() {
    for (const std::size_t hop : touched_) old_load_[hop] = untouched;
    touched_.clear();
  }

  const PlacementProblem& p_;
  const NodeBytes by_domain_;
  Routes routes_;
  /// [domain]
  std::vector<int> seat_of_;
  /// [seat]: domains it may take on
  std::vector<int> room_;
  /// [hop]
  std::vector<std::int64_t> loads_;
  /// [link]
  std::vector<double> times_per_byte_;
  /// [hop]: before the move being tried
  std::vector<std::int64_t> old_load_;
  /// hops of the move being tried
  std::vector<std::size_t> touched_;
  std::int64_t work_left_;
};

}  // namespace

std::vector<int> swap_domains(const PlacementProblem& problem, std::vector<int> seat_of_domain,
                              std::int64_t most_work) {
  return Exchange(problem, std::move(seat_of_domain), most_work).run();
}

}  // namespace collio::policy
