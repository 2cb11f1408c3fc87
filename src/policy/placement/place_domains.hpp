// Which aggregators serve the file domains of a call, chosen by where its bytes are.
//
// The input is the number of bytes of each node in each domain, and the network. If the network is unknown,
// all nodes count as on one switch: there, too, bytes that stay on their node save network time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "policy/placement/choose_assignment.hpp"
#include "policy/placement/placement.hpp"
#include "policy/plan/plan.hpp"

namespace collio::policy {

/// Domains with their aggregators, and what that does to the network.
struct PlacedDomains {
  std::string how;  ///< name of the assignment or election
  AssignmentReason reason;
  bool network_known = true;        ///< else all nodes count as on one switch
  std::vector<int> seat_of_domain;  ///< aggregator of every domain, all different
  PlacementMeasures before, after;  ///< with domain i at aggregator i, and as placed
  std::optional<std::vector<std::int64_t>>
      traffic;  ///< between nodes as placed, as numbers of machine::NodeTraffic; absent where pieces meet on
                ///< other nodes on their way
};
/// Domains in order, as there is no memory to place them.
[[nodiscard]] PlacedDomains without_memory(int domains);

/// Why they are placed so, in words for the report. Pure.
[[nodiscard]] std::string placing_text(const PlacedDomains& placed);

/// Why a call's domains go to their aggregators in order, without a look at where its bytes are.
enum class InOrder {
  no,  ///< it pays to look, or a hint asks for it
  no_aggregators,
  one_node,
  hint,
  dealt,      ///< a target's stripes keep their writer from call to call, by the file's layout
  few_bytes,  ///< looking costs more than it could save
};

/// Pure. `bytes`: of the call. The plan has its domains.
[[nodiscard]] InOrder against_placing(const Plan& plan, const machine::Machine& machine, const Hints& hints,
                                      std::int64_t bytes);

/// The network of a job: the known one, or one switch.
[[nodiscard]] machine::Topology topology_of(const machine::Machine& machine);

/// `bytes`: [node][domain]. `homes`: node of each aggregator, as many as domains or more. Pure. Cost: as
/// choose_assignment.
[[nodiscard]] PlacedDomains place_domains(const Plan& plan, const machine::Machine& machine,
                                          const Hints& hints, core::Matrix<std::int64_t> bytes,
                                          const std::vector<int>& homes);

}  // namespace collio::policy
