// What placing a call's domains takes on rank 0, and what foreseeing its traffic adds to each later call.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "patterns.hpp"
#include "policy/placement/place_domains.hpp"
#include "policy/placement/traffic.hpp"

namespace collio::bench {
namespace {

JobSize size_of(const benchmark::State& state) {
  return {static_cast<int>(state.range(1)), static_cast<int>(state.range(2))};
}

constexpr int most_seats = 16;  // of a node
/// Of aggregators, and spare ones.
policy::SeatHomes seats_of(const JobSize& size) {
  std::vector<int> homes = homes_of(size);
  const int spare = std::max(0, most_seats * size.nodes - size.seats);
  for (int i = 0; i < spare; ++i) homes.push_back(i % size.nodes);
  return {std::move(homes), spare};
}

policy::PlacedDomains placed(const benchmark::State& state) {
  const auto pattern = static_cast<Pattern>(state.range(0));
  const JobSize size = size_of(state);
  return policy::place_domains(plan_of(size), machine_of(size), policy::Hints{}, {bytes_of(pattern, size)},
                               seats_of(size));
}

void note(benchmark::State& state, const policy::PlacedDomains& done) {
  state.counters["saved_percent"] = 100 * (1 - done.after.busiest.time_s / done.before.busiest.time_s);
  state.SetLabel(std::string(pattern_names[state.range(0)]) + ", " + done.how);
}

/// From the rows of all nodes.
void place(benchmark::State& state) {
  const JobSize size = size_of(state);
  const policy::Plan plan = plan_of(size);
  const machine::Machine machine = machine_of(size);
  const policy::SeatHomes seats = seats_of(size);
  const policy::NodeBytes bytes = bytes_of(static_cast<Pattern>(state.range(0)), size);
  policy::PlacedDomains done;
  for (auto _ : state) {
    state.PauseTiming();
    policy::CallBytes copy{bytes};
    state.ResumeTiming();
    done = policy::place_domains(plan, machine, policy::Hints{}, std::move(copy), seats);
  }
  state.counters["entries"] = static_cast<double>(bytes.entries());
  note(state, done);
}

/// From sums that the nodes make together, where these show that nothing can be gained: rank 0 has all
/// entries of no pattern.
void bound(benchmark::State& state) {
  const JobSize size = size_of(state);
  const auto pattern = static_cast<Pattern>(state.range(0));
  const policy::Plan plan = plan_of(size);
  const machine::Machine machine = machine_of(size);
  const policy::SeatHomes seats = seats_of(size);
  policy::SwitchSums sums(size.nodes, size.seats);
  const machine::Topology topology = policy::topology_of(machine);
  const policy::PlacementProblem problem{.topology = topology,
                                         .nodes = {},
                                         .bytes = policy::NodeBytes(size.seats),
                                         .seats = seats.nodes,
                                         .spare = seats.spare};
  std::mt19937_64 dice(1);
  for (int node = 0; node < size.nodes; ++node)
    sums.add_row(problem, node, row_of(pattern, size, node, dice), most_seats);
  std::optional<policy::PlacedDomains> done;
  for (auto _ : state) done = policy::placed_by_sums(plan, machine, policy::Hints{}, seats, sums);
  state.SetLabel(std::string(pattern_names[state.range(0)]) + (done ? ", in order" : ", not ruled out"));
}

void foresee(benchmark::State& state) {
  policy::Plan plan = plan_of(size_of(state));
  plan.placed = std::make_shared<const policy::PlacedDomains>(placed(state));
  const policy::SeatHomes seats = seats_of(size_of(state));
  policy::ServedBytes served;
  for (auto _ : state) served.add(plan, 1 << 30, seats.nodes, policy::Layers{});
  state.SetLabel(pattern_names[state.range(0)]);
}

void add_sizes(benchmark::internal::Benchmark* cases, std::initializer_list<JobSize> sizes,
               std::initializer_list<Pattern> patterns) {
  for (const JobSize& size : sizes)
    for (const Pattern pattern : patterns) cases->Args({static_cast<int>(pattern), size.nodes, size.seats});
  cases->ArgNames({"pattern", "nodes", "aggregators"});
}

void sizes(benchmark::internal::Benchmark* cases) {
  add_sizes(cases, {JobSize{128, 2048}, JobSize{256, 2048}, JobSize{1000, 4000}},
            {Pattern::random, Pattern::equal, Pattern::rows, Pattern::blocks, Pattern::scattered});
}

void sparse_sizes(benchmark::internal::Benchmark* cases) {
  sizes(cases);
  add_sizes(cases, {JobSize{10000, 40000}}, {Pattern::rows, Pattern::blocks, Pattern::scattered});
}

void largest(benchmark::internal::Benchmark* cases) {
  add_sizes(cases, {JobSize{10000, 40000}}, {Pattern::random, Pattern::rows, Pattern::scattered});
}

BENCHMARK(place)->Apply(sparse_sizes)->Unit(benchmark::kMillisecond);
BENCHMARK(bound)->Apply(largest)->Unit(benchmark::kMillisecond);
BENCHMARK(foresee)->Apply(sizes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace collio::bench
