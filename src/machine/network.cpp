// See network.hpp.
#include "machine/network.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include "core/index.hpp"

namespace collio::machine {

namespace {

core::Error wrong(std::string text) { return {core::ErrorClass::argument, std::move(text)}; }

std::string at(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

core::Error check_links(const Network& n) {
  const int vertices = static_cast<int>(n.vertices.size());
  for (std::size_t i = 0; i < n.links.size(); ++i) {
    const Link& link = n.links[i];
    for (const auto& [end, vertex] : {std::pair{".a is ", link.a}, std::pair{".b is ", link.b}})
      if (vertex < 0 || vertex >= vertices)
        return wrong(at("links", i) + end + std::to_string(vertex) + ", there are " +
                     std::to_string(vertices) + " vertices");
    if (link.a == link.b)
      return wrong(at("links", i) + " joins vertex " + std::to_string(link.a) + " to itself");
    if (!std::isfinite(link.rate_bytes_per_s) || link.rate_bytes_per_s <= 0)
      return wrong(at("links", i) + ".rate_bytes_per_s is " + text_of(link.rate_bytes_per_s) +
                   "; allowed: above 0");
    if (!std::isfinite(link.latency_s) || link.latency_s < 0)
      return wrong(at("links", i) + ".latency_s is " + text_of(link.latency_s) + "; allowed: 0 and more");
  }
  return {};
}

/// Every entry is -1 or a link of its vertex.
core::Error check_entries(const Network& n) {
  const auto nodes = static_cast<std::size_t>(n.nodes);
  const auto links = static_cast<std::int32_t>(n.links.size());
  for (std::size_t i = 0; i < n.next.size(); ++i) {
    const std::int32_t index = n.next[i];
    const std::size_t vertex = i / nodes, node = i % nodes;
    const auto place = [&] {
      return at("next", vertex) + "[" + std::to_string(node) + "] is " + std::to_string(index);
    };
    if (index < -1 || index >= links)
      return wrong(place() + ", there are " + std::to_string(links) + " links");
    if (index < 0) continue;
    if (vertex == node) return wrong(place() + "; allowed: -1, a node is where it is");
    const Link& link = n.link(index);
    if (static_cast<std::size_t>(link.a) != vertex && static_cast<std::size_t>(link.b) != vertex)
      return wrong(place() + ", but that link joins vertices " + std::to_string(link.a) + " and " +
                   std::to_string(link.b));
  }
  return {};
}

/// The routes to one node after the other. `seen` has a number per vertex: of the walk that was there last,
/// or that the node is reached from there.
class RouteCheck {
 public:
  explicit RouteCheck(const Network& network) : n_(network), seen_(network.vertices.size(), 0) {}

  core::Error check(int to) {
    const std::int64_t reached = ++walk_;
    mark(to) = reached;
    for (int from = 0; from < n_.nodes; ++from)
      if (core::Error error = walk({from, to}, reached); !error.ok()) return error;
    return {};
  }

 private:
  core::Error walk(const Trip& trip, std::int64_t reached) {
    const std::int64_t mine = ++walk_;
    int at = trip.from;
    for (; mark(at) != reached; at = step(at, trip.to)) {
      if (mark(at) == mine) return wrong(name(trip) + " loops: it comes back to " + vertex(at));
      mark(at) = mine;
      if (n_.next_link(at, trip.to) < 0)
        return wrong(name(trip) + " ends at " + vertex(at) + ": its entry in next is -1");
    }
    for (at = trip.from; mark(at) != reached; at = step(at, trip.to)) mark(at) = reached;
    return {};
  }

  [[nodiscard]] int step(int at, int to) const {
    const Link& link = n_.link(n_.next_link(at, to));
    return link.a == at ? link.b : link.a;
  }
  std::int64_t& mark(int v) { return seen_[core::at(v)]; }
  [[nodiscard]] const std::string& vertex(int v) const { return n_.vertices[core::at(v)]; }
  [[nodiscard]] std::string name(const Trip& trip) const {
    return "the route from " + vertex(trip.from) + " to " + vertex(trip.to);
  }

  const Network& n_;
  std::vector<std::int64_t> seen_;
  std::int64_t walk_ = 0;
};

std::string_view short_name(std::string_view host) { return host.substr(0, host.find('.')); }

constexpr int several = -2;

/// Short names that only one node has.
std::unordered_map<std::string_view, int> short_names(const Network& network) {
  std::unordered_map<std::string_view, int> nodes;
  for (int i = 0; i < network.nodes; ++i) {
    const auto [at, fresh] = nodes.try_emplace(short_name(network.vertices[core::at(i)]), i);
    if (!fresh) at->second = several;
  }
  return nodes;
}

}  // namespace

core::Error check_network(const Network& n) {
  if (n.nodes < 1) return wrong("there are " + std::to_string(n.nodes) + " nodes; allowed: 1 and more");
  const std::size_t vertices = n.vertices.size(), nodes = static_cast<std::size_t>(n.nodes);
  if (vertices < nodes)
    return wrong("there are " + std::to_string(nodes) + " nodes, but " + std::to_string(vertices) + " names");
  std::unordered_map<std::string_view, std::size_t> names;
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto [other, fresh] = names.try_emplace(n.vertices[i], i);
    if (!fresh)
      return wrong(at("nodes", i) + ".name is '" + n.vertices[i] + "', which is " +
                   at("nodes", other->second) + "'s");
  }
  if (core::Error error = check_links(n); !error.ok()) return error;
  if (n.next.size() != vertices * nodes)
    return wrong("next has " + std::to_string(n.next.size()) + " entries, " + std::to_string(vertices) +
                 " vertices and " + std::to_string(nodes) + " nodes need " +
                 std::to_string(vertices * nodes));
  if (core::Error error = check_entries(n); !error.ok()) return error;
  RouteCheck routes(n);
  for (int to = 0; to < n.nodes; ++to)
    if (core::Error error = routes.check(to); !error.ok()) return error;
  return {};
}

int hops(const Network& network, const Trip& trip) {
  int count = 0;
  route(network, trip, [&](const Hop&) { ++count; });
  return count;
}

double transfer_s(const Network& network, const Trip& trip, std::int64_t bytes) {
  double latency_s = 0, slowest_s = 0;
  route(network, trip, [&](const Hop& hop) {
    const Link& link = network.link(hop.link);
    latency_s += link.latency_s;
    slowest_s = std::max(slowest_s, static_cast<double>(bytes) / link.rate_bytes_per_s);
  });
  return latency_s + slowest_s;
}

LinkLoads load_links(const Network& network, std::span<const Flow> flows) {
  LinkLoads loads{std::vector<std::int64_t>(2 * network.links.size(), 0), 0};
  for (const Flow& flow : flows)
    route(network, {flow.from, flow.to}, [&](const Hop& hop) {
      loads.bytes[hop.index()] += flow.bytes;
      loads.hop_bytes += flow.bytes;
    });
  return loads;
}

BusiestLink busiest_link(const Network& network, std::span<const std::int64_t> link_bytes) {
  BusiestLink busiest;
  for (int i = 0; i < static_cast<int>(network.links.size()); ++i)
    for (const bool forward : {true, false}) {
      const Hop hop{i, forward};
      const std::int64_t bytes = link_bytes[hop.index()];
      const double time_s = static_cast<double>(bytes) / network.link(i).rate_bytes_per_s;
      if (time_s > busiest.time_s) busiest = {hop, bytes, time_s};
    }
  return busiest;
}

std::vector<int> find_nodes(const Network& network, std::span<const std::string> hosts) {
  std::unordered_map<std::string_view, int> whole;
  for (int i = 0; i < network.nodes; ++i) whole.emplace(network.vertices[core::at(i)], i);
  const auto parts = short_names(network);
  std::vector<int> found;
  found.reserve(hosts.size());
  for (const std::string& host : hosts) {
    const auto exact = whole.find(host);
    const auto part = parts.find(short_name(host));
    found.push_back(exact != whole.end()  ? exact->second
                    : part != parts.end() ? std::max(part->second, -1)
                                          : -1);
  }
  return found;
}

}  // namespace collio::machine
