// Networks for tests.
#pragma once

#include <string>

#include "machine/network.hpp"

namespace collio::machine {

/// Two racks of two nodes under one root: node0..node3, rack0 (4), rack1 (5), core (6). Links 0..3 go from
/// the nodes to their racks, 4 and 5 from the racks to the core. The uplinks have half the nodes' rate.
inline Network two_racks() {
  Network n;
  n.name = "two racks";
  n.nodes = 4;
  n.vertices = {"node0", "node1", "node2", "node3", "rack0", "rack1", "core"};
  for (int node = 0; node < 4; ++node) n.links.push_back({node, 4 + node / 2, 100e6, 1e-6});
  for (int rack = 0; rack < 2; ++rack) n.links.push_back({4 + rack, 6, 50e6, 2e-6});
  n.next = {-1, 0,  0,  0,   //
            1,  -1, 1,  1,   //
            2,  2,  -1, 2,   //
            3,  3,  3,  -1,  //
            0,  1,  4,  4,   //
            5,  5,  2,  3,   //
            4,  4,  5,  5};
  return n;
}

/// The same as a machine file in its expanded form.
inline const std::string two_racks_text = R"({"format": "collio-machine-graph/1", "name": "two racks",
 "nodes": [{"name": "node0", "ranks": 4}, {"name": "node1", "ranks": 4}, {"name": "node2", "ranks": 4}, {"name": "node3", "ranks": 4}],
 "switches": ["rack0", "rack1", "core"],
 "links": [{"a": 0, "b": 4, "rate_bytes_per_s": 100e6, "latency_s": 1e-06}, {"a": 1, "b": 4, "rate_bytes_per_s": 100000000, "latency_s": 1e-06},
  {"a": 2, "b": 5, "rate_bytes_per_s": 100e6, "latency_s": 1e-06}, {"a": 3, "b": 5, "rate_bytes_per_s": 100e6, "latency_s": 1e-06},
  {"a": 4, "b": 6, "rate_bytes_per_s": 50e6, "latency_s": 2e-06}, {"a": 5, "b": 6, "rate_bytes_per_s": 50e6, "latency_s": 2e-06}],
 "next": [[-1, 0, 0, 0], [1, -1, 1, 1], [2, 2, -1, 2], [3, 3, 3, -1], [0, 1, 4, 4], [5, 5, 2, 3], [4, 4, 5, 5]],
 "storage": {"attach": 6, "targets": [{"name": "target0", "rate_bytes_per_s": null, "capacity_bytes": null, "backing": "memory"}]}}
)";

}  // namespace collio::machine
