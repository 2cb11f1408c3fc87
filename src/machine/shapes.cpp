// See shapes.hpp.
#include "machine/shapes.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include "core/index.hpp"

namespace collio::machine {

namespace {

constexpr std::int64_t most_vertices =
    std::numeric_limits<std::int32_t>::max() / 64;  // so that links and hops stay ints

core::Error wrong_shape(std::string text) { return {core::ErrorClass::argument, std::move(text)}; }

struct Number {
  const char* name;
  int value;
};

/// Every number is at least 1, and their product is no more than a network may have.
core::Error check_counts(std::initializer_list<Number> numbers) {
  std::int64_t product = 1;
  for (const Number& n : numbers) {
    if (n.value < 1)
      return wrong_shape(std::string(n.name) + " is " + std::to_string(n.value) + "; allowed: 1 and more");
    product *= n.value;
    if (product > most_vertices)
      return wrong_shape(std::string(n.name) + " is " + std::to_string(n.value) + ", which makes more than " +
                         std::to_string(most_vertices) + " nodes or links");
  }
  return {};
}

core::Error check_cable(const char* name, const Cable& cable) {
  const auto say = [&](const char* what, double value, const char* allowed) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return wrong_shape(std::string(name) + what + text + allowed);
  };
  if (!std::isfinite(cable.rate_bytes_per_s) || cable.rate_bytes_per_s <= 0)
    return say(".rate_bytes_per_s is ", cable.rate_bytes_per_s, "; allowed: above 0");
  if (!std::isfinite(cable.latency_s) || cable.latency_s < 0)
    return say(".latency_s is ", cable.latency_s, "; allowed: 0 and more");
  return {};
}

struct Named {
  const char* name;
  const Cable& cable;
};

core::Error check_all(std::initializer_list<Number> numbers, std::initializer_list<Named> cables) {
  if (core::Error error = check_counts(numbers); !error.ok()) return error;
  for (const Named& c : cables)
    if (core::Error error = check_cable(c.name, c.cable); !error.ok()) return error;
  return {};
}

}  // namespace

// --- Torus
// --------------------------------------------------------------------------------------------------------

int nodes_of(const Torus& s) noexcept {
  int nodes = 1;
  for (const int size : s.dims) nodes *= size;
  return nodes;
}

int links_of(const Torus& s) noexcept {
  const int nodes = nodes_of(s);
  int links = 0;
  for (const int size : s.dims) links += size > 2 ? nodes : size == 2 ? nodes / 2 : 0;
  return links;
}

int hops(const Torus& s, const Trip& t) noexcept {
  int from = t.from, to = t.to, sum = 0;
  for (std::size_t d = s.dims.size(); d-- > 0;) {
    const int size = s.dims[d], apart = std::abs(from % size - to % size);
    sum += apart < size - apart ? apart : size - apart;
    from /= size, to /= size;
  }
  return sum;
}

int detail::link_up(const Torus& s, int node, int dimension) noexcept {
  // All links upwards of the nodes before this one, and its own in the dimensions before this one.
  int index = 0, stride = nodes_of(s);
  for (int d = 0; d < static_cast<int>(s.dims.size()); ++d) {
    const int size = s.dims[core::at(d)];
    stride /= size;
    if (size == 1) continue;
    const int within = node % (2 * stride);
    index += size > 2 ? node : node / (2 * stride) * stride + (within < stride ? within : stride);
    if (d < dimension && (size > 2 || within < stride)) ++index;
  }
  return index;
}

core::Error check_shape(const Torus& s) {
  if (s.dims.empty()) return wrong_shape("dims has no dimension; allowed: one and more");
  std::int64_t product = 1;
  for (std::size_t d = 0; d < s.dims.size(); ++d) {
    if (s.dims[d] < 1)
      return wrong_shape("dims[" + std::to_string(d) + "] is " + std::to_string(s.dims[d]) +
                         "; allowed: 1 and more");
    product *= s.dims[d];
    if (product * static_cast<std::int64_t>(s.dims.size()) > most_vertices)
      return wrong_shape("dims make more than " + std::to_string(most_vertices) + " links");
  }
  return check_cable("link", s.link);
}

// --- Dragonfly
// ----------------------------------------------------------------------------------------------------

namespace {

int local_links(const Dragonfly& s) noexcept { return s.routers * (s.routers - 1) / 2; }

}  // namespace

int links_of(const Dragonfly& s) noexcept {
  return nodes_of(s) + s.groups * local_links(s) + s.groups * (s.groups - 1) / 2;
}

const Cable& cable_of(const Dragonfly& s, int link) noexcept {
  if (link < nodes_of(s)) return s.link;
  return link < nodes_of(s) + s.groups * local_links(s) ? s.local : s.global;
}

int hops(const Dragonfly& s, const Trip& t) noexcept {
  int count = 0;
  route(s, t, [&](const Hop&) { ++count; });
  return count;
}

int detail::gateway(const Dragonfly& s, int group, int other) noexcept {
  const int turn = other < group ? other : other - 1;
  return group * s.routers + turn % s.routers;
}

Hop detail::local_hop(const Dragonfly& s, const RouterPair& way) noexcept {
  const int at = way.at % s.routers, to = way.to % s.routers;
  const bool forward = at < to;
  const int pair = pair_index(s.routers, forward ? at : to, forward ? to : at);
  return {nodes_of(s) + way.at / s.routers * local_links(s) + pair, forward};
}

Hop detail::global_hop(const Dragonfly& s, const RouterPair& groups) noexcept {
  const bool forward = groups.at < groups.to;
  const int pair = pair_index(s.groups, forward ? groups.at : groups.to, forward ? groups.to : groups.at);
  return {nodes_of(s) + s.groups * local_links(s) + pair, forward};
}

core::Error check_shape(const Dragonfly& s) {
  return check_all({{"groups", s.groups},
                    {"routers", s.routers},
                    {"nodes_per_router", s.nodes_per_router},
                    {"groups", s.groups},
                    {"routers", s.routers}},
                   {{"link", s.link}, {"local", s.local}, {"global", s.global}});
}

// --- Torus with I/O nodes
// -----------------------------------------------------------------------------------------

int links_of(const TorusWithSets& s) noexcept {
  return links_of(s.torus) + nodes_of(s) / s.nodes_per_set * s.bridges;
}

detail::Bridge detail::nearest_bridge(const TorusWithSets& s, int set, int node) noexcept {
  Bridge nearest{0, s.bridge(set, 0)};
  int least = hops(s.torus, {node, nearest.node});
  for (int i = 1; i < s.bridges; ++i)
    if (const int apart = hops(s.torus, {node, s.bridge(set, i)}); apart < least)
      nearest = {i, s.bridge(set, i)}, least = apart;
  return nearest;
}

int hops(const TorusWithSets& s, const Trip& t) noexcept {
  const int nodes = nodes_of(s);
  if (t.to >= nodes) return 1 + hops(s.torus, {t.from, detail::nearest_bridge(s, t.to - nodes, t.from).node});
  if (t.from >= nodes) return 1 + hops(s.torus, {t.to, detail::nearest_bridge(s, t.from - nodes, t.to).node});
  return hops(s.torus, t);
}

core::Error check_shape(const TorusWithSets& s) {
  if (core::Error error = check_shape(s.torus); !error.ok()) return error;
  if (core::Error error =
          check_all({{"nodes_per_set", s.nodes_per_set}, {"bridges", s.bridges}}, {{"io", s.io}});
      !error.ok())
    return error;
  const int nodes = nodes_of(s);
  if (nodes % s.nodes_per_set != 0)
    return wrong_shape("nodes_per_set: " + std::to_string(s.nodes_per_set) + " does not divide the torus' " +
                       std::to_string(nodes) + " nodes");
  if (s.bridges > s.nodes_per_set)
    return wrong_shape("bridges is " + std::to_string(s.bridges) + "; allowed: up to nodes_per_set, " +
                       std::to_string(s.nodes_per_set));
  return {};
}

// --- Switches
// -----------------------------------------------------------------------------------------------------

core::Error check_shape(const SingleSwitch& s) { return check_all({{"nodes", s.nodes}}, {{"link", s.link}}); }

core::Error check_shape(const Tree& s) {
  return check_all({{"racks", s.racks}, {"nodes_per_rack", s.nodes_per_rack}},
                   {{"link", s.link}, {"uplink", s.uplink}});
}

core::Error check_shape(const FatTree& s) {
  return check_all({{"leaves", s.leaves}, {"nodes_per_leaf", s.nodes_per_leaf}, {"spines", s.spines}},
                   {{"link", s.link}, {"uplink", s.uplink}});
}

}  // namespace collio::machine
