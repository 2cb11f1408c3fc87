// How far apart two cores are: what ranks that share a node's memory have to pay for every line they pass on.
#pragma once

#include <cstdint>

namespace collio::bench {

/// Nanoseconds a cache line takes from the first core that this machine's ranks may run on to the last one,
/// best of many, to a whole number; -1 where there is no second core, threads cannot be bound, or others kept
/// the cores busy throughout. Cores that share a cache take some 30, others 100 and more. On a virtual
/// machine it changes as the host moves its processors. Takes some milliseconds. Collective.
[[nodiscard]] std::int64_t cache_line_ns();

}  // namespace collio::bench
