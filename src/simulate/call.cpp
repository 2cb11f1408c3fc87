// See call.hpp.
#include "simulate/call.hpp"

#include "policy/domains/by_layout.hpp"
#include "policy/placement/place_domains.hpp"

namespace collio::simulate {

namespace {

// As storage/model.cpp has it for file systems behind a network.
constexpr std::int64_t window_bytes = 16 << 20, node_buffer_bytes = 64 << 20;

machine::StorageModel storage_of(const StorageCosts& costs, const policy::Hints& hints) {
  machine::StorageModel storage;
  storage.name = "modelled";
  storage.block_bytes = costs.stripe_bytes;
  storage.in_memory = costs.file_system == FileSystem::memory;
  if (costs.file_system == FileSystem::network) {
    storage.window_bytes = window_bytes;
    storage.node_buffer_bytes = node_buffer_bytes;
    storage.aggregators_per_core = 0;
  }
  storage.operation_s = costs.call_s;
  storage.overlaps = costs.asynchronous;
  if (costs.file_system != FileSystem::network || !hints.layout) return storage;
  return policy::with_layout(std::move(storage), {costs.stripe_bytes, costs.targets, {}, "the model"});
}

/// As engine/call/place_call.cpp does.
void place(const CallSetting& s, std::int64_t bytes, PlannedCall& call) {
  if (policy::against_placing(call.plan, call.machine, s.hints, bytes) != policy::InOrder::no) return;
  policy::PlacementProblem problem{
      s.topology, s.nodes, demand_of(s.job, CutFile(call.plan.domains)).bytes, {}, s.reads};
  const std::vector<policy::Seat> spare = policy::spare_seats(call.machine, s.hints, call.seats);
  problem.spare = static_cast<int>(spare.size());
  call.seats.insert(call.seats.end(), spare.begin(), spare.end());
  for (const policy::Seat& seat : call.seats) problem.seats.push_back(seat.node);
  const std::vector<int> seat_of_domain = s.hints.assignment
                                              ? policy::assign_domains(*s.hints.assignment, problem)
                                              : policy::choose_assignment(problem).seat_of_domain;
  std::vector<policy::Seat> seats;
  for (const int seat : seat_of_domain) seats.push_back(call.seats[static_cast<std::size_t>(seat)]);
  call.seats = std::move(seats);
}

}  // namespace

machine::Machine machine_of(const CallSetting& s) {
  machine::Machine machine;
  for (int node = 0; node < s.job.nodes(); ++node) {
    const int ranks = s.job.ranks_on(node);
    machine::Node one{.name = "node" + std::to_string(node), .ranks = ranks, .cores = ranks};
    one.cores = std::max(1, static_cast<int>(s.parallel(node)));
    one.fabric = s.job.nodes() > 1 ? s.model.fabric : machine::Fabric::same_host;
    machine.nodes.edit().push_back(std::move(one));
  }
  machine.storage = storage_of(s.model.storage, s.hints);
  return machine;
}

PlannedCall plan_call(const CallSetting& s, const policy::Digest& digest, policy::Path path) {
  PlannedCall call{machine_of(s), {}, {}};
  policy::PlanRequest request{s.reads ? policy::Direction::read : policy::Direction::write, digest};
  policy::Hints dealt = s.hints;  // no other selection is simulated
  if (std::holds_alternative<policy::Selection>(dealt.who)) dealt.who = policy::Selection::dealt;
  call.seats =
      policy::choose_aggregators(call.machine, policy::fitted_to_layout(call.machine, std::move(dealt)));
  request.aggregators = static_cast<int>(call.seats.size());
  if (path != policy::Path::automatic) request.way = policy::Way{path, policy::Transfer::two_sided};
  call.plan = policy::make_plan(request, call.machine, s.hints);
  if (s.model.placed) place(s, digest.bytes, call);
  return call;
}

}  // namespace collio::simulate
