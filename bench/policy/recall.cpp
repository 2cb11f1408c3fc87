// What recognising a repeated call takes on each rank, where patterns come in turn.
#include <benchmark/benchmark.h>

#include <memory>

#include "engine/file/plan_memory.hpp"

namespace collio::bench {
namespace {

using engine::AccessShape;
using engine::PlanMemory;
using policy::Digest;
using policy::Direction;

/// Of a call of `pattern` by this rank, as if all ranks' were in it.
Digest digest_of(std::int64_t pattern) {
  Digest d;
  d.bytes = 1 << 20;
  d.set_access({0, static_cast<std::uint64_t>(pattern) + 1, 0});
  return d;
}

void recall(benchmark::State& state) {
  const std::int64_t patterns = state.range(0);
  PlanMemory memory;
  for (std::int64_t i = 0; i < patterns; ++i)
    memory.remember({0,
                     Direction::write,
                     AccessShape{},
                     digest_of(i),
                     false,
                     false,
                     policy::CallTrials({policy::OpenWay{}}),
                     {}});
  std::int64_t call = 0, found = 0;
  for (auto _ : state) found += memory.find(digest_of(call++ % patterns), Direction::write) ? 1 : 0;
  state.counters["found_percent"] = 100 * static_cast<double>(found) / static_cast<double>(call);
}

BENCHMARK(recall)->ArgName("patterns")->Arg(1)->Arg(2)->Arg(17)->Arg(256)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace collio::bench
