// What an election takes on rank 0: 512 partitions, on a torus of 4096 nodes with storage behind I/O nodes;
// 40,000 of 10,000 nodes, most of them empty.
#include <benchmark/benchmark.h>

#include "patterns.hpp"
#include "policy/aggregators/elect_aggregators.hpp"

namespace collio::bench {
namespace {

void elect(benchmark::State& state) {
  const JobSize size{4096, 512};
  const auto pattern = static_cast<Pattern>(state.range(0));
  const auto election = static_cast<policy::Election>(state.range(1));
  const machine::Topology torus(
      machine::TorusWithSets{{{16, 16, 16}, {1.8e9, 20e-6}}, 128, 2, {1.8e9, 20e-6}});
  policy::ElectionProblem problem{torus, {}, bytes_of(pattern, size), {}};
  for (int node = 0; node < size.nodes; ++node) {
    problem.nodes.push_back(node);
    problem.storage.push_back(torus.io_node(node));
  }
  for (auto _ : state) benchmark::DoNotOptimize(policy::elect_aggregators(election, problem));
  state.counters["entries"] = static_cast<double>(problem.bytes.entries());
  state.SetLabel(std::string(pattern_names[state.range(0)]) + ", " + std::string(name_of(election)));
}

/// A file in which one partition of a hundred has bytes, each of one node.
void elect_in_holes(benchmark::State& state) {
  const JobSize size{10000, 40000};
  const machine::Topology one(machine::SingleSwitch{size.nodes, {1e9, 1e-6}});
  policy::NodeBytes bytes(size.seats);
  for (int node = 0; node < size.nodes; ++node) {
    Row row;
    if (node % 25 == 0) row.push_back({4 * node, 1 << 20});
    bytes.add_row(row);
  }
  policy::ElectionProblem problem{one, {}, std::move(bytes), {}};
  for (int node = 0; node < size.nodes; ++node) {
    problem.nodes.push_back(node);
    problem.storage.push_back(machine::no_vertex);
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(policy::elect_aggregators(policy::Election::contention_aware, problem));
}
BENCHMARK(elect_in_holes)->Unit(benchmark::kMillisecond);

void cases(benchmark::internal::Benchmark* cases) {
  for (const Pattern pattern : {Pattern::random, Pattern::equal, Pattern::rows, Pattern::scattered})
    for (const policy::Election election :
         {policy::Election::topology_aware, policy::Election::contention_aware})
      cases->Args({static_cast<int>(pattern), static_cast<int>(election)});
  cases->ArgNames({"pattern", "election"});
}

BENCHMARK(elect)->Apply(cases)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace collio::bench
