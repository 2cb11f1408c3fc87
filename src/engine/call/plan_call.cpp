// See plan_call.hpp.
#include "engine/call/plan_call.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "engine/call/place_call.hpp"

namespace collio::engine {

namespace {

struct Made {
  policy::Plan plan;
  /// its domains, by where the bytes are now
  bool placed = false;
};

/// `before`: by the same way, of the same pieces elsewhere; null: there is none. Its aggregators serve again:
/// domains of the same pieces begin a part of a unit further on at most. Collective.
Made new_plan(const Buffers& buffers, const policy::PlanRequest& request, const access::FileAccess& access,
              const policy::Plan* before = nullptr) {
  policy::Plan plan = buffers.ranks.file.plan(buffers, request);
  const bool aggregates = plan.path == policy::Path::two_phase || plan.path == policy::Path::two_layer;
  if (!aggregates || request.digest.bytes == 0 || plan.domains.count == 0) return {std::move(plan)};
  balance_call(buffers.ranks, plan, access);
  if (before && before->placed && before->path == plan.path && before->domains.count == plan.domains.count) {
    plan.placed = before->placed;
    return {std::move(plan)};
  }
  place_call(buffers.ranks, plan, access, request.digest.bytes);
  const bool placed = plan.placed != nullptr;
  return {std::move(plan), placed};
}

/// Null: the schedule was asked for, or there is one buffer only. One-sided transfers are for all ranks
/// together, and so is their schedule.
std::shared_ptr<policy::ScheduleTrials> schedules_of(const policy::Hints& hints, const policy::Plan& plan) {
  if (plan.path != policy::Path::two_phase || hints.schedule != policy::Schedule::automatic ||
      plan.overlap.buffers < 2 || plan.transfers.by != policy::Transfer::two_sided)
    return nullptr;
  return std::make_shared<policy::ScheduleTrials>(plan.overlap);
}

/// Later calls of the same pieces are to have more of the node's memory.
bool may_recall(const policy::Plan& plan) {
  return plan.path != policy::Path::two_layer || plan.whole_memory;
}

/// The plan by one way of an earlier call of the same pieces, where they are now. Collective.
Made recalled_plan(const Buffers& buffers, PlanMemory::Entry& seen, std::size_t way,
                   const policy::Digest& digest, const access::FileAccess& access) {
  File& file = buffers.ranks.file;
  const std::int64_t distance = digest.low - seen.digest.low;
  std::optional<policy::Plan>& known = seen.routes[way].plan;
  if (known && known->serves_at(distance)) {
    policy::Plan plan = *known;
    plan.shift(distance);
    plan.tiled = seen.tiled;
    if (file.prepare(buffers, plan)) return {std::move(plan)};
  }
  policy::PlanRequest request{seen.direction, digest, file.most_domains(), seen.home_masks, seen.tiled};
  if (way > 0) request.way = seen.trials.way(way);
  Made made = new_plan(buffers, request, access, known ? &*known : nullptr);
  if (!known && may_recall(made.plan) && made.plan.serves_at(distance)) {
    known = made.plan;
    known->shift(-distance);
  }
  return made;
}

/// Calls that the program does not wait in take as long as it computes: they are not for trial. Collective.
Planned recalled(const Buffers& buffers, PlanMemory::Entry& seen, const policy::Digest& digest,
                 const access::FileAccess& access) {
  std::size_t way = digest.in_background == 0 ? seen.trials.next() : seen.trials.in_force();
  Made made = recalled_plan(buffers, seen, way, digest, access);
  if (way != seen.trials.in_force() && made.plan.way() != seen.trials.way(way)) {
    seen.trials.refused();
    way = seen.trials.in_force();
    made = recalled_plan(buffers, seen, way, digest, access);
  }
  auto& schedules = seen.routes[way].schedules;
  if (!schedules) schedules = schedules_of(buffers.ranks.file.settings.hints, made.plan);
  return {std::move(made.plan), schedules, &seen, way, made.placed};
}

PlanMemory::Entry entry_of(const File& file, const CompletedCall& done) {
  const policy::Plan& plan = done.planned.plan;
  // Every window was tiled from its first piece to its last; with as many bytes as the span has, no hole is
  // left.
  const bool tiled = plan.path == policy::Path::two_layer && plan.direction == policy::Direction::write &&
                     !done.outcome.untiled && done.digest.bytes == done.digest.span();
  policy::CallTrials trials(policy::choices_of(plan, done.digest, file.machine, file.settings.hints));
  std::vector<PlanMemory::Route> routes(trials.ways());
  if (may_recall(plan)) routes[0].plan = plan;
  routes[0].schedules = done.planned.schedules;
  return {0,     plan.direction,    done.shape,       done.digest, plan.home_masks,
          tiled, std::move(trials), std::move(routes)};
}

/// All ranks know the same of the call.
void take_time(const Buffers& buffers, const Planned& planned, const transport::Outcome& outcome) {
  policy::CallTrials& trials = planned.seen->trials;
  trials.over(1e-9 * static_cast<double>(outcome.longest_ns));
  if (planned.plan.transfers.by != policy::Transfer::two_sided && trials.given_up(planned.way))
    buffers.give_up_remote();
}

}  // namespace

Planned plan_of(const Buffers& buffers, const CallRequest& request, const policy::Digest& digest,
                const access::FileAccess& access) {
  File& file = buffers.ranks.file;
  if (PlanMemory::Entry* seen = file.plans.memory.find(digest, request.direction))
    return recalled(buffers, *seen, digest, access);
  Made made = new_plan(buffers, {request.direction, digest, file.most_domains()}, access);
  auto schedules = schedules_of(file.settings.hints, made.plan);
  return {std::move(made.plan), std::move(schedules), nullptr, 0, made.placed};
}

void learn_from(const Buffers& buffers, const CompletedCall& done) {
  const Planned& planned = done.planned;
  if (done.outcome.error != 0) {  // it may be the way that fails: the next call does not go there again
    if (planned.seen && planned.way != planned.seen->trials.in_force()) planned.seen->trials.refused();
  } else if (!planned.seen) {
    buffers.ranks.file.plans.memory.remember(entry_of(buffers.ranks.file, done));
  } else if (done.digest.in_background == 0) {
    take_time(buffers, planned, done.outcome);
  }
}

}  // namespace collio::engine
