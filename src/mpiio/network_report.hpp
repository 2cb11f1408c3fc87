// What the report says of the network: how the job's nodes lie in it, and what its files sent between them.
#pragma once

#include <string>

#include "engine/file/file.hpp"

namespace collio::mpiio {

/// A JSON object on rank 0, empty elsewhere; empty also where there is one node and COLLIO_MACHINE is not set. One
/// reduction of O(nodes) numbers (nodes * nodes up to 64 nodes) and, where the network is known, two a link. Collective.
///
///   {"name": machine or null, "nodes": its nodes, "hosts": [...], "hops": {"min", "max"}, "unknown": why,
///    "traffic": T, "expected": T}
///
/// name, nodes and hops where the network is known, hosts up to 64 nodes, traffic and expected where there are several.
/// T is {"bytes": n, "flows": [[from, to, bytes], ...]}, by the job's nodes; above 64 of them {"bytes", "sent": [...],
/// "received": [...]}; and where the network is known "hop_bytes" and "busiest": {"from", "to", "bytes", "seconds"}.
[[nodiscard]] std::string network_json(engine::File& file);

}  // namespace collio::mpiio
