#include "planner/machines.hpp"

#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <utility>

#include "geometry/pieces.hpp"
#include "machine/read_graph.hpp"

namespace collio::planner {
namespace {

using bench::mix;
using bench::UsageError;

using machine::Cable;

/// Numbers between commas.
template <class Number>
[[nodiscard]] std::vector<Number> numbers(Options& options, const std::string& name) {
  const std::string text = options.required(name);
  std::vector<Number> values;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    std::istringstream one(word);
    Number value{};
    if (!(one >> value) || !one.eof())
      throw UsageError(std::string("--") + name + " is '" + text + "'; allowed: numbers between commas");
    values.push_back(value);
  }
  return values;
}

template <class Shape>
[[nodiscard]] machine::Topology checked(const Shape& shape) {
  if (const core::Error error = machine::check_shape(shape); !error.ok())
    throw UsageError("--sizes, --rates or --latencies: " + error.message);
  return machine::Topology(shape);
}

struct ShapeNumbers {
  std::vector<int> sizes;
  std::vector<Cable> cables;

  [[nodiscard]] int size(std::size_t i) const { return i < sizes.size() ? sizes[i] : 0; }
};

/// The order of the sizes and cables is that of the fields in machine/shapes.hpp.
[[nodiscard]] machine::Topology regular(const std::string& kind, const ShapeNumbers& n) {
  const auto expect = [&](std::size_t sizes, std::size_t cables, bool or_more = false) {
    if ((or_more ? n.sizes.size() < sizes : n.sizes.size() != sizes) || n.cables.size() != cables)
      throw UsageError(std::string("--shape ") + kind + " has " + std::to_string(n.sizes.size()) +
                       " sizes and " + std::to_string(n.cables.size()) +
                       " rates; allowed: " + std::to_string(sizes) + (or_more ? " or more" : "") + " and " +
                       std::to_string(cables));
  };
  if (kind == "switch") return expect(1, 1), checked(machine::SingleSwitch{n.size(0), n.cables[0]});
  if (kind == "tree")
    return expect(2, 2), checked(machine::Tree{n.size(0), n.size(1), n.cables[0], n.cables[1]});
  if (kind == "fat-tree")
    return expect(3, 2), checked(machine::FatTree{n.size(0), n.size(1), n.size(2), n.cables[0], n.cables[1]});
  if (kind == "torus") return expect(1, 1, true), checked(machine::Torus{n.sizes, n.cables[0]});
  if (kind == "dragonfly")
    return expect(3, 3), checked(machine::Dragonfly{n.size(0), n.size(1), n.size(2), n.cables[0], n.cables[1],
                                                    n.cables[2]});
  expect(3, 2, true);
  return checked(machine::TorusWithSets{
      {{n.sizes.begin() + 2, n.sizes.end()}, n.cables[0]}, n.size(0), n.size(1), n.cables[1]});
}

[[nodiscard]] PlannedMachine read_machine(Options& options, const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw UsageError("--graph " + file + ": cannot be read");
  core::Result<machine::Network> network =
      machine::read_graph(std::string(std::istreambuf_iterator<char>(stream), {}));
  if (!network) throw UsageError("--graph " + file + ": " + network.error().message);
  const int vertices = static_cast<int>(network.value().vertices.size());
  const auto storage = static_cast<int>(options.number("storage", vertices, {0, vertices}));
  const std::string name = network.value().name;
  return {name, machine::Topology(std::make_shared<const machine::Network>(std::move(network.value()))),
          storage == vertices ? machine::no_vertex : storage};
}

/// The two ends of a link, from the direction in which it is forward.
struct Ends {
  std::string from, to;
};

[[nodiscard]] std::string numbered(const char* what, int number) { return what + std::to_string(number); }

[[nodiscard]] Ends ends(const machine::SingleSwitch&, int link) { return {numbered("node", link), "switch"}; }
[[nodiscard]] Ends ends(const machine::Tree& s, int link) {
  const int nodes = nodes_of(s);
  if (link < nodes) return {numbered("node", link), numbered("rack", link / s.nodes_per_rack)};
  return {numbered("rack", link - nodes), "core"};
}
[[nodiscard]] Ends ends(const machine::FatTree& s, int link) {
  const int nodes = nodes_of(s), uplink = link - nodes;
  if (link < nodes) return {numbered("node", link), numbered("leaf", link / s.nodes_per_leaf)};
  return {numbered("leaf", uplink / s.spines), numbered("spine", uplink % s.spines)};
}
[[nodiscard]] Ends ends(const machine::Torus& s, int link) {
  for (int node = 0; node < nodes_of(s); ++node)
    for (int stride = nodes_of(s), d = 0; d < static_cast<int>(s.dims.size()); ++d) {
      const int size = s.dims[static_cast<std::size_t>(d)], place = node / (stride /= size) % size;
      if (size < 2 || (size == 2 && place == 1) || machine::detail::link_up(s, node, d) != link) continue;
      return {numbered("node", node), numbered("node", node + ((place + 1) % size - place) * stride)};
    }
  return {};
}
[[nodiscard]] Ends ends(const machine::TorusWithSets& s, int link) {
  const int io = link - links_of(s.torus), set = io / s.bridges;
  return io < 0 ? ends(s.torus, link)
                : Ends{numbered("node", s.bridge(set, io % s.bridges)), numbered("io", set)};
}
[[nodiscard]] Ends ends(const machine::Dragonfly& s, int link) {
  if (link < nodes_of(s)) return {numbered("node", link), numbered("router", link / s.nodes_per_router)};
  for (int from = 0; from < s.groups * s.routers; ++from)
    for (int to = from + 1; to < s.groups * s.routers; ++to) {
      const bool local = from / s.routers == to / s.routers;
      if (local && machine::detail::local_hop(s, {from, to}).link == link)
        return {numbered("router", from), numbered("router", to)};
    }
  for (int low = 0; low < s.groups; ++low)
    for (int high = low + 1; high < s.groups; ++high)
      if (machine::detail::global_hop(s, {low, high}).link == link)
        return {numbered("group", low), numbered("group", high)};
  return {};
}
[[nodiscard]] Ends ends(const machine::Topology::Graph& graph, int link) {
  const machine::Link& one = graph->link(link);
  return {graph->vertices[static_cast<std::size_t>(one.a)], graph->vertices[static_cast<std::size_t>(one.b)]};
}

}  // namespace

PlannedMachine planned_machine(Options& options) {
  if (const std::string file = options.text("graph", ""); !file.empty()) return read_machine(options, file);
  const std::string kind =
      options.one_of("shape", {"tree", "fat-tree", "torus", "torus-io", "dragonfly", "switch"});
  ShapeNumbers n{numbers<int>(options, "sizes"), {}};
  const std::vector<double> rates = numbers<double>(options, "rates"),
                            latencies = numbers<double>(options, "latencies");
  if (rates.size() != latencies.size())
    throw UsageError("--latencies has " + std::to_string(latencies.size()) +
                     " values; allowed: as many as --rates");
  for (std::size_t i = 0; i < rates.size(); ++i) n.cables.push_back({rates[i], latencies[i]});
  return {options.text("name", kind), regular(kind, n)};
}

std::vector<int> job_nodes(Options& options, const PlannedMachine& machine, int count) {
  const int all = machine.topology.nodes();
  if (count > all)
    throw UsageError("--ranks and --ranks-per-node make " + std::to_string(count) +
                     " nodes; allowed: at most the machine's " + std::to_string(all));
  const std::int64_t seed = options.number("scatter", 0, {0, std::int64_t{1} << 62});
  std::vector<int> nodes(static_cast<std::size_t>(all));
  std::iota(nodes.begin(), nodes.end(), 0);
  // Fisher & Yates, with a hash for the dice: the same wherever it runs.
  for (int i = 0; seed > 0 && i < count; ++i) {
    const auto left = static_cast<std::uint64_t>(all - i);
    const auto other =
        i +
        static_cast<int>(mix(mix(static_cast<std::uint64_t>(seed)) ^ static_cast<std::uint64_t>(i)) % left);
    std::swap(nodes[static_cast<std::size_t>(i)], nodes[static_cast<std::size_t>(other)]);
  }
  nodes.resize(static_cast<std::size_t>(count));
  return nodes;
}

std::string hop_name(const machine::Topology& topology, const machine::Hop& hop) {
  const Ends found = std::visit([&](const auto& shape) { return ends(shape, hop.link); }, topology.shape());
  return hop.forward ? found.from + " -> " + found.to : found.to + " -> " + found.from;
}

}  // namespace collio::planner
