// Networks of regular shape, by formulas: a few numbers say how far two nodes are apart and which links are
// between them.
//
// Links are numbered as in the graph that a machine file of the same shape is expanded to, and routes pass
// the same ones. A route takes O(its links), times the dimensions in a torus; hops O(1), or O(dimensions).
#pragma once

#include <cstddef>
#include <vector>

#include "core/index.hpp"
#include "machine/network.hpp"

namespace collio::machine {

/// What kind of link: rate and latency of each direction.
struct Cable {
  double rate_bytes_per_s = 0;
  double latency_s = 0;
};

/// All nodes on one switch; link i is node i's.
struct SingleSwitch {
  int nodes = 1;
  Cable link;
};

/// Racks of nodes under one root. Links: the nodes', then the racks'.
struct Tree {
  int racks = 1, nodes_per_rack = 1;
  Cable link, uplink;
};

/// A folded Clos network of two levels: every leaf switch has one link to every spine switch, and what goes
/// to node d crosses spine d mod spines (Zahavi, Concurrency Computat. 2010). Links: the nodes', then each
/// leaf's by spine.
struct FatTree {
  int leaves = 1, nodes_per_leaf = 1, spines = 1;
  Cable link, uplink;
};

/// Nodes are routers in a grid whose ends are joined, of any number of dimensions; the last one varies
/// fastest in a node's number. Routes go dimension by dimension, the shorter way round, halfway round
/// upwards. Links: node by node one upwards in each dimension; a dimension of two nodes has one link, a
/// dimension of one none.
struct Torus {
  std::vector<int> dims;
  Cable link;
};

/// Groups of routers, all to all inside a group and one link between every two groups, dealt to a group's
/// routers in turn (Kim, Dally, Scott & Abts, ISCA'08). Minimal routes. Links: the nodes', each group's, then
/// those by pairs of groups.
struct Dragonfly {
  int groups = 1, routers = 1, nodes_per_router = 1;
  Cable link, local, global;
};

/// A torus with I/O nodes, as of a BlueGene/Q: consecutive nodes form sets, each with an I/O node of its own
/// that is linked to a few of the set's nodes, its bridges (those at i * nodes_per_set / bridges). The I/O
/// node of set s is vertex nodes + s; routes to and from it pass its bridge nearest to the node, the first of
/// several. Links: the torus', then set by set those of the bridges.
struct TorusWithSets {
  Torus torus;
  int nodes_per_set = 1, bridges = 1;
  Cable io;

  [[nodiscard]] int bridge(int set, int i) const noexcept {
    return set * nodes_per_set + i * nodes_per_set / bridges;
  }
};

[[nodiscard]] inline int nodes_of(const SingleSwitch& s) noexcept { return s.nodes; }
[[nodiscard]] inline int nodes_of(const Tree& s) noexcept { return s.racks * s.nodes_per_rack; }
[[nodiscard]] inline int nodes_of(const FatTree& s) noexcept { return s.leaves * s.nodes_per_leaf; }
[[nodiscard]] int nodes_of(const Torus& s) noexcept;
[[nodiscard]] inline int nodes_of(const Dragonfly& s) noexcept {
  return s.groups * s.routers * s.nodes_per_router;
}
[[nodiscard]] inline int nodes_of(const TorusWithSets& s) noexcept { return nodes_of(s.torus); }

[[nodiscard]] inline int links_of(const SingleSwitch& s) noexcept { return s.nodes; }
[[nodiscard]] inline int links_of(const Tree& s) noexcept { return nodes_of(s) + s.racks; }
[[nodiscard]] inline int links_of(const FatTree& s) noexcept { return nodes_of(s) + s.leaves * s.spines; }
[[nodiscard]] int links_of(const Torus& s) noexcept;
[[nodiscard]] int links_of(const Dragonfly& s) noexcept;
[[nodiscard]] int links_of(const TorusWithSets& s) noexcept;

[[nodiscard]] inline const Cable& cable_of(const SingleSwitch& s, int) noexcept { return s.link; }
[[nodiscard]] inline const Cable& cable_of(const Tree& s, int link) noexcept {
  return link < nodes_of(s) ? s.link : s.uplink;
}
[[nodiscard]] inline const Cable& cable_of(const FatTree& s, int link) noexcept {
  return link < nodes_of(s) ? s.link : s.uplink;
}
[[nodiscard]] inline const Cable& cable_of(const Torus& s, int) noexcept { return s.link; }
[[nodiscard]] const Cable& cable_of(const Dragonfly& s, int link) noexcept;
[[nodiscard]] inline const Cable& cable_of(const TorusWithSets& s, int link) noexcept {
  return link < links_of(s.torus) ? s.torus.link : s.io;
}

[[nodiscard]] inline int hops(const SingleSwitch&, const Trip& t) noexcept { return t.from == t.to ? 0 : 2; }
[[nodiscard]] inline int hops(const Tree& s, const Trip& t) noexcept {
  return t.from == t.to ? 0 : t.from / s.nodes_per_rack == t.to / s.nodes_per_rack ? 2 : 4;
}
[[nodiscard]] inline int hops(const FatTree& s, const Trip& t) noexcept {
  return t.from == t.to ? 0 : t.from / s.nodes_per_leaf == t.to / s.nodes_per_leaf ? 2 : 4;
}
[[nodiscard]] int hops(const Torus& s, const Trip& t) noexcept;
[[nodiscard]] int hops(const Dragonfly& s, const Trip& t) noexcept;
/// O(bridges * dimensions) where an I/O node is at one end.
[[nodiscard]] int hops(const TorusWithSets& s, const Trip& t) noexcept;

/// What is wrong with the numbers of a shape, named as given; no error: the functions of this header may be
/// called.
[[nodiscard]] core::Error check_shape(const SingleSwitch& s);
[[nodiscard]] core::Error check_shape(const Tree& s);
[[nodiscard]] core::Error check_shape(const FatTree& s);
[[nodiscard]] core::Error check_shape(const Torus& s);
[[nodiscard]] core::Error check_shape(const Dragonfly& s);
[[nodiscard]] core::Error check_shape(const TorusWithSets& s);

namespace detail {

/// Index of pair (low, high), low < high < count, where pairs are listed as (0, 1), (0, 2), ..., (1, 2), ...
[[nodiscard]] constexpr int pair_index(int count, int low, int high) noexcept {
  return low * (2 * count - low - 1) / 2 + high - low - 1;
}

/// A dragonfly's router, and the one to be reached.
struct RouterPair {
  int at = 0, to = 0;
};
[[nodiscard]] int gateway(const Dragonfly& s, int group, int other) noexcept;
[[nodiscard]] Hop local_hop(const Dragonfly& s, const RouterPair& way) noexcept;
[[nodiscard]] Hop global_hop(const Dragonfly& s, const RouterPair& groups) noexcept;
/// The link upwards from `node` in `dimension`, which is not one of a single node.
[[nodiscard]] int link_up(const Torus& s, int node, int dimension) noexcept;
/// A bridge's number among its set's, and its node.
struct Bridge {
  int number = 0, node = 0;
};
[[nodiscard]] Bridge nearest_bridge(const TorusWithSets& s, int set, int node) noexcept;

}  // namespace detail

/// Visits the links of a route in order: visit(Hop).
template <class Visit>
void route(const SingleSwitch&, const Trip& t, Visit&& visit) {
  if (t.from == t.to) return;
  visit(Hop{t.from, true});
  visit(Hop{t.to, false});
}

template <class Visit>
void route(const Tree& s, const Trip& t, Visit&& visit) {
  if (t.from == t.to) return;
  const int up = t.from / s.nodes_per_rack, down = t.to / s.nodes_per_rack;
  visit(Hop{t.from, true});
  if (up != down) visit(Hop{nodes_of(s) + up, true}), visit(Hop{nodes_of(s) + down, false});
  visit(Hop{t.to, false});
}

template <class Visit>
void route(const FatTree& s, const Trip& t, Visit&& visit) {
  if (t.from == t.to) return;
  const int up = t.from / s.nodes_per_leaf, down = t.to / s.nodes_per_leaf, spine = t.to % s.spines;
  visit(Hop{t.from, true});
  if (up != down)
    visit(Hop{nodes_of(s) + up * s.spines + spine, true}),
        visit(Hop{nodes_of(s) + down * s.spines + spine, false});
  visit(Hop{t.to, false});
}

template <class Visit>
void route(const Torus& s, const Trip& t, Visit&& visit) {
  int stride = nodes_of(s), at = t.from;
  for (int dimension = 0; dimension < static_cast<int>(s.dims.size()); ++dimension) {
    const int size = s.dims[core::at(dimension)];
    stride /= size;
    int place = at / stride % size;
    const int ahead = (t.to / stride % size - place + size) % size;
    const bool up = 2 * ahead <= size;
    for (int step = up ? ahead : size - ahead; step > 0; --step) {
      const int next = (place + (up ? 1 : size - 1)) % size, beyond = at + (next - place) * stride;
      // Of two nodes the lower one's link upwards is the only one.
      const bool forward = size == 2 ? place == 0 : up;
      visit(Hop{detail::link_up(s, forward ? at : beyond, dimension), forward});
      at = beyond;
      place = next;
    }
  }
}

template <class Visit>
void route(const Dragonfly& s, const Trip& t, Visit&& visit) {
  if (t.from == t.to) return;
  const int target = t.to / s.nodes_per_router, here = t.from / s.nodes_per_router / s.routers,
            there = target / s.routers;
  int at = t.from / s.nodes_per_router;
  visit(Hop{t.from, true});
  if (here != there) {
    const int out = detail::gateway(s, here, there);
    if (at != out) visit(detail::local_hop(s, {at, out}));
    visit(detail::global_hop(s, {here, there}));
    at = detail::gateway(s, there, here);
  }
  if (at != target) visit(detail::local_hop(s, {at, target}));
  visit(Hop{t.to, false});
}

/// At most one end is an I/O node.
template <class Visit>
void route(const TorusWithSets& s, const Trip& t, Visit&& visit) {
  const int nodes = nodes_of(s), io_links = links_of(s.torus);
  if (t.to >= nodes) {
    const detail::Bridge bridge = detail::nearest_bridge(s, t.to - nodes, t.from);
    route(s.torus, {t.from, bridge.node}, visit);
    visit(Hop{io_links + (t.to - nodes) * s.bridges + bridge.number, true});
  } else if (t.from >= nodes) {
    const detail::Bridge bridge = detail::nearest_bridge(s, t.from - nodes, t.to);
    visit(Hop{io_links + (t.from - nodes) * s.bridges + bridge.number, false});
    route(s.torus, {bridge.node, t.to}, visit);
  } else {
    route(s.torus, t, visit);
  }
}

}  // namespace collio::machine
