// Golden machines as topologies and placement problems.
#pragma once

#include <optional>

#include "golden.hpp"
#include "machine/topology.hpp"
#include "policy/placement/placement.hpp"

namespace collio::test {

struct GoldenMachine {
  GoldenRecord record;
  machine::Topology topology;

  [[nodiscard]] policy::PlacementProblem problem() const {
    return {topology, record.numbers<int>("nodes"), record.matrix<std::int64_t>("bytes"),
            record.numbers<int>("seats")};
  }
};

inline machine::Topology::Shape golden_shape(const GoldenRecord& r) {
  const std::string kind = r.lines.at("shape").at(0).at(0);
  const std::vector<int> n = r.numbers<int>("shape", 0, 1);
  const auto cable = [&](std::size_t i) {
    const std::vector<double> numbers = r.numbers<double>("cable", i);
    return machine::Cable{numbers.at(0), numbers.at(1)};
  };
  if (kind == "switch") return machine::SingleSwitch{n.at(0), cable(0)};
  if (kind == "tree") return machine::Tree{n.at(0), n.at(1), cable(0), cable(1)};
  if (kind == "fat-tree") return machine::FatTree{n.at(0), n.at(1), n.at(2), cable(0), cable(1)};
  if (kind == "torus") return machine::Torus{n, cable(0)};
  if (kind == "dragonfly") return machine::Dragonfly{n.at(0), n.at(1), n.at(2), cable(0), cable(1), cable(2)};
  if (kind == "sets")
    return machine::TorusWithSets{{{n.begin() + 2, n.end()}, cable(0)}, n.at(0), n.at(1), cable(1)};
  throw std::runtime_error(r.name + ": no shape " + kind);
}

inline std::vector<GoldenMachine> golden_machines() {
  std::vector<GoldenMachine> machines;
  for (GoldenRecord& record : read_golden("machines.txt", "machine")) {
    machine::Topology topology(golden_shape(record));
    machines.push_back({std::move(record), std::move(topology)});
  }
  return machines;
}

}  // namespace collio::test
