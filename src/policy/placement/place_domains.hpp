// Which aggregators serve the file domains of a call, chosen by where its bytes are.
//
// The input is the number of bytes of each node in each domain, and the network. If the network is unknown,
// all nodes count as on one switch: there, too, bytes that stay on their node save network time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/shared.hpp"
#include "machine/machine.hpp"
#include "policy/placement/choose_assignment.hpp"
#include "policy/placement/placement.hpp"
#include "policy/placement/switch_sums.hpp"
#include "policy/plan/plan.hpp"

namespace collio::policy {

/// Domains with their aggregators, and what that does to the network.
struct PlacedDomains {
  /// name of the assignment or election
  std::string how;
  AssignmentReason reason;
  /// else all nodes count as on one switch
  bool network_known = true;
  /// seat of every domain, all different; empty in a plan that is kept with domains in order
  core::SharedList<int> seat_of_domain;
  /// with domain i at aggregator i, and as placed
  PlacementMeasures before, after;
  /// between nodes as placed, as numbers of machine::NodeTraffic; absent where pieces meet on other nodes on
  /// their way
  std::optional<std::vector<std::int64_t>> traffic;
};
/// Domains in order, as there is no memory to place them.
[[nodiscard]] PlacedDomains without_memory(int domains);

/// Why they are placed so, in words for the report. Pure.
[[nodiscard]] std::string placing_text(const PlacedDomains& placed);

/// Why a call's domains go to their aggregators in order, without a look at where its bytes are.
enum class InOrder {
  /// it pays to look, or a hint asks for it
  no,
  no_aggregators,
  one_node,
  hint,
  /// a target's stripes keep their writer from call to call, by the file's layout
  dealt,
  /// looking costs more than it could save
  few_bytes,
};

/// Pure. `bytes`: of the call. The plan has its domains.
[[nodiscard]] InOrder against_placing(const Plan& plan, const machine::Machine& machine, const Hints& hints,
                                      std::int64_t bytes);

/// Seats that may serve domains.
struct SeatHomes {
  /// Implicit: of aggregators alone, as a rule.
  SeatHomes(std::vector<int> of_each, int spare_ones = 0) : nodes(std::move(of_each)), spare(spare_ones) {}
  /// node of each aggregator, of which there are as many as domains or more, and then of each spare seat
  std::vector<int> nodes;
  int spare = 0;
};

/// The network of a job: the known one, or one switch.
[[nodiscard]] machine::Topology topology_of(const machine::Machine& machine);

/// Where the bytes of a call are.
struct CallBytes {
  NodeBytes entries;
  /// of all bytes, where `entries` lacks the smallest: `all` is false
  std::optional<SwitchSums> sums = {};
  bool all = true;
};
/// Most of them that are looked at: 64 MiB.
inline constexpr std::int64_t most_entries = 1 << 22;

/// Whether sums alone may show that domains stay in order, and are worth making before any entry is looked
/// at. The same on all ranks. Pure. O(nodes + seats).
[[nodiscard]] bool sums_first(const Plan& plan, const machine::Machine& machine, const Hints& hints,
                              const SeatHomes& seats);
/// Sums with one node's part, `row`; made by each node where sums are to be made first. Pure.
[[nodiscard]] SwitchSums part_of_sums(const Plan& plan, const SeatHomes& seats, int nodes, int node,
                                      std::span<const DomainBytes> row);
/// Domains in order, where the parts' sums show that no others can save least_gain. Nothing: entries have to
/// be looked at. Pure. O(nodes + domains).
[[nodiscard]] std::optional<PlacedDomains> placed_by_sums(const Plan& plan, const machine::Machine& machine,
                                                          const Hints& hints, const SeatHomes& seats,
                                                          const SwitchSums& sums);

/// Pure. Cost: as choose_assignment.
[[nodiscard]] PlacedDomains place_domains(const Plan& plan, const machine::Machine& machine,
                                          const Hints& hints, CallBytes bytes, const SeatHomes& seats);

}  // namespace collio::policy
