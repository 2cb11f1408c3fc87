// Reads a network from a machine file in its expanded form, "collio-machine-graph/1": JSON in which every
// vertex, link and route is written out.
//
//   {"format": "collio-machine-graph/1", "name": "...",
//    "nodes": [{"name": "node0"}, ...], "switches": ["rack0", ...],
//    "links": [{"a": 0, "b": 8, "rate_bytes_per_s": 5e7, "latency_s": 5e-06}, ...],
//    "next": [[-1, 0, ...], ...]}
//
// a and b number the vertices, nodes first; next[vertex][node] is the link that leads there. latency_s may be
// absent and is 0 then. What else there is (ranks, storage) is not about the network and left unread.
#pragma once

#include <string_view>

#include "core/result.hpp"
#include "machine/network.hpp"

namespace collio::machine {

/// The network in `text`, checked: all functions of machine/network may be called on it. Any bytes may be
/// given; an error names the place, the value and what is allowed. Pure. O(text + vertices * nodes).
[[nodiscard]] core::Result<Network> read_graph(std::string_view text);

}  // namespace collio::machine
