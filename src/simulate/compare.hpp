// Policies side by side on a modelled machine: how the file is cut, which ranks aggregate, which aggregator
// serves which domain.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/aggregators/elect_aggregators.hpp"
#include "policy/aggregators/select_aggregators.hpp"
#include "policy/placement/choose_assignment.hpp"
#include "simulate/demand.hpp"
#include "simulate/storage_way.hpp"

namespace collio::simulate {

/// A job on a machine.
struct Setting {
  const machine::Topology& topology;
  const Job& job;
  /// network node of each node of the job
  std::vector<int> nodes;
  /// of each node of the job, the vertex of its storage; no_vertex: unknown
  std::vector<int> storage;
  /// the job's nodes, for selections
  machine::Machine machine;
  /// aggregators asked for
  policy::Hints hints;
  /// stripe, or lock or block: to what cuts are aligned
  std::int64_t unit_bytes = 1 << 20;
  std::int64_t window_bytes = 16 << 20;
  /// of the file; 0: unknown
  int stripes = 0;
  bool reads = false;
};

/// What one combination of policies comes to.
struct Row {
  policy::Cut cut = policy::Cut::even;
  policy::Who who = policy::Selection::dealt;
  policy::Assignment assignment = policy::Assignment::in_order;
  policy::PlacementMeasures measures;
  int aggregators = 0, aggregator_nodes = 0, domains = 0;
  std::int64_t rounds = 0;
  /// (rank, aggregator, round), between nodes
  std::int64_t two_phase_messages = 0;
  /// (node, aggregator, round), between nodes
  std::int64_t two_layer_messages = 0;
  /// where the nodes' storage is known
  std::optional<StorageWay> storage;
  /// to say who aggregates and which domains they serve, the bytes being known
  double plan_s = 0;
  /// what `auto` takes for the assignment
  bool chosen = false;
};

/// All assignments for one way to cut and one to say who aggregates.
struct Comparison {
  /// by assignment
  std::vector<Row> rows;
  /// of `auto`
  std::string reason;
  /// to count bytes and messages by domain; next to nothing the second time
  double count_s = 0;

  [[nodiscard]] const Row& chosen() const;
};

[[nodiscard]] core::Error check_setting(const Setting& setting);

/// The file, cut for so many aggregators. group_cyclic needs the file's stripes.
[[nodiscard]] CutFile cut_file(const Setting& setting, policy::Cut cut, int aggregators);

/// Compares policies in one setting; counts the bytes of a cut once.
class Comparer {
 public:
  /// The setting outlives it and has passed its check.
  explicit Comparer(const Setting& setting) : setting_(setting) {}
  /// All assignments. Cost: of every policy, and the first time for a cut into so many domains of demand_of.
  [[nodiscard]] Comparison assignments(policy::Cut cut, const policy::Who& who);

 private:
  const Demand& demand(policy::Cut cut, int aggregators);

  const Setting& setting_;
  std::map<std::pair<policy::Cut, int>, Demand> demands_;
};

}  // namespace collio::simulate
