// What placing a call's domains takes on rank 0, and what foreseeing its traffic adds to each later call.
#include <benchmark/benchmark.h>

#include <memory>

#include "patterns.hpp"
#include "policy/placement/place_domains.hpp"
#include "policy/placement/traffic.hpp"

namespace collio::bench {
namespace {

JobSize size_of(const benchmark::State& state) {
  return {static_cast<int>(state.range(1)), static_cast<int>(state.range(2))};
}

policy::PlacedDomains placed(const benchmark::State& state) {
  const auto pattern = static_cast<Pattern>(state.range(0));
  const JobSize size = size_of(state);
  return policy::place_domains(plan_of(size), machine_of(size), policy::Hints{}, bytes_of(pattern, size),
                               homes_of(size));
}

void place(benchmark::State& state) {
  const auto pattern = static_cast<Pattern>(state.range(0));
  const JobSize size = size_of(state);
  const policy::Plan plan = plan_of(size);
  const machine::Machine machine = machine_of(size);
  const std::vector<int> homes = homes_of(size);
  const core::Matrix<std::int64_t> bytes = bytes_of(pattern, size);
  policy::PlacedDomains done;
  for (auto _ : state) {
    state.PauseTiming();
    core::Matrix<std::int64_t> copy = bytes;
    state.ResumeTiming();
    done = policy::place_domains(plan, machine, policy::Hints{}, std::move(copy), homes);
  }
  state.counters["saved_percent"] = 100 * (1 - done.after.busiest.time_s / done.before.busiest.time_s);
  state.SetLabel(std::string(pattern_names[state.range(0)]) + ", " + done.how);
}

void foresee(benchmark::State& state) {
  policy::Plan plan = plan_of(size_of(state));
  plan.placed = std::make_shared<const policy::PlacedDomains>(placed(state));
  policy::ServedBytes served;
  for (auto _ : state) served.add(plan, 1 << 30);
  state.SetLabel(pattern_names[state.range(0)]);
}

void sizes(benchmark::internal::Benchmark* cases) {
  for (const JobSize& size : {JobSize{128, 2048}, JobSize{256, 2048}, JobSize{1000, 4000}})
    for (const Pattern pattern : {Pattern::random, Pattern::equal, Pattern::rows, Pattern::blocks})
      cases->Args({static_cast<int>(pattern), size.nodes, size.seats});
  cases->ArgNames({"pattern", "nodes", "aggregators"});
}

BENCHMARK(place)->Apply(sizes)->Unit(benchmark::kMillisecond);
BENCHMARK(foresee)->Apply(sizes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace collio::bench
