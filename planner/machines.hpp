// The machine that the planner plans for: an expanded machine file, or a regular shape in a few numbers.
#pragma once

#include <string>
#include <vector>

#include "machine/topology.hpp"
#include "options.hpp"

namespace collio::planner {

using bench::Options;

struct PlannedMachine {
  std::string name;
  machine::Topology topology;
  /// where all nodes' storage is; no_vertex: at their I/O nodes, if there are any
  int storage = machine::no_vertex;

  [[nodiscard]] int storage_of(int node) const {
    return storage == machine::no_vertex ? topology.io_node(node) : storage;
  }
};

/// Of --graph FILE [--storage VERTEX], or --shape KIND --sizes N,N,... --rates BYTES/S,... --latencies S,...
[[nodiscard]] PlannedMachine planned_machine(Options& options);

/// Network nodes of the job: the first ones, or with --scatter SEED any.
[[nodiscard]] std::vector<int> job_nodes(Options& options, const PlannedMachine& machine, int count);

/// "rack0 -> core": the direction is the hop's.
[[nodiscard]] std::string hop_name(const machine::Topology& topology, const machine::Hop& hop);

}  // namespace collio::planner
