// See call.hpp. A table of contents; each step lives in a file of its own.
#include "engine/call/call.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>
#include <utility>

#include "access/asked_bytes.hpp"
#include "access/reserve.hpp"
#include "engine/call/own_call.hpp"
#include "engine/call/plan_call.hpp"
#include "engine/call/prepare_call.hpp"
#include "engine/check/check_write.hpp"
#include "engine/independent/independent.hpp"
#include "engine/two_layer/two_layer.hpp"
#include "engine/two_phase/two_phase.hpp"
#include "observe/trace.hpp"
#include "policy/placement/place_domains.hpp"
#include "transport/waiting/communicators.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;
using policy::Direction;

namespace {

/// A call: what this rank brings to the agreement, and what all ranks hold since.
struct Agreed {
  Buffers& buffers;
  File& file;
  const CallRequest& request;
  observe::CallRecord& record;
  const Prepared prepared;
  policy::Digest digest{};
  /// of this rank's bytes, where it moved them before
  PathResult ahead{};
  /// the call has been made before: nothing is left out
  bool last = false;
};

/// Errors found before any byte moved: the worst one, on every rank. Collective.
core::Error agreed_error(const Agreed& agreed) {
  const auto worst = static_cast<core::ErrorClass>(agreed.digest.error);
  const core::Error& mine = *agreed.prepared.error;
  if (worst == core::ErrorClass::none)
    return check_write(agreed.buffers, agreed.request, agreed.digest, agreed.prepared.access);
  if (worst == mine.kind) return mine;
  if (worst == core::ErrorClass::no_memory) return {worst, "another rank has no memory for the call"};
  if (worst == core::ErrorClass::io || worst == core::ErrorClass::no_space ||
      worst == core::ErrorClass::quota)
    return {worst, "another rank cannot flush " + agreed.file.path +
                       " or copy from its device memory, or failed before"};
  return {worst, "another rank found an error in its arguments"};
}

/// Others wait for messages that this rank cannot make: nothing is left but to end the job, and to say why.
[[noreturn]] void end_without_memory(const Ranks& ranks) {
  std::fprintf(
      stderr,
      "collio: rank %d has no memory for a call on %s; other ranks already wait for its messages; the "
      "job ends\n",
      ranks.file.rank, ranks.file.path.c_str());
  transport::end_job(ranks.comm, MPI_ERR_NO_MEM);
}

PathResult move_by_path(CollectiveCall& call) {
  const bool write = call.plan.direction == Direction::write;
  if (call.plan.path == policy::Path::independent)
    return write ? independent_write(call) : independent_read(call);
  if (call.plan.path == policy::Path::two_layer) return write ? two_layer_write(call) : two_layer_read(call);
  return write ? two_phase_write(call) : two_phase_read(call);
}

/// Books the copies from and to the memory of a device so far: their bytes, and the first error.
void note_device(CollectiveCall& call, PathResult& moved) {
  const access::DeviceMemory* device = call.memory.device();
  if (!device) return;
  moved.note(call.access.span.offset, {0, device->failure()});
  call.counters.from_device_bytes = device->moved().from_device;
  call.counters.to_device_bytes = device->moved().to_device;
}

PathResult move_bytes(CollectiveCall& call) {
  call.ranks.roll.come_to(transport::Stage::moving);
  try {
    PathResult moved = move_by_path(call);
    note_device(call, moved);
    if (call.buffers.shortage.left_out) moved.note(call.plan.span.offset, {0, no_memory(call)});
    return moved;
  } catch (const std::bad_alloc&) {
    end_without_memory(call.ranks);
  }
}

/// The message of the rank with the worst error, on all ranks. Collective, behind an agreement on the
/// outcome.
void hear_failed_rank(const Ranks& ranks, PathResult& moved) {
  if (moved.outcome.error != 0)
    moved.message = ranks.agreement.words_of(moved.outcome.failed_rank, std::move(moved.message));
}

/// `since_s`: when ranks had the digest.
void agree_on_outcome(CollectiveCall& call, PathResult& moved, double since_s) {
  call.ranks.roll.come_to(transport::Stage::ending);
  Steps::Scope time(call.steps, Step::agree);
  if (moved.outcome.error != 0) moved.outcome.failed_rank = call.file.rank;
  moved.outcome.longest_ns = static_cast<std::int64_t>(1e9 * (observe::now_s() - since_s));
  call.ranks.agreement.outcome(moved.outcome);
  hear_failed_rank(call.ranks, moved);
}

/// For a call whose domains `servers` serve.
transport::MessageLink link_of(const Buffers& buffers, const policy::Plan& plan, const Servers& servers,
                               observe::CallRecord& record) {
  File& file = buffers.ranks.file;
  transport::MessageLink link{
      .comm = buffers.ranks.comm,
      .rank = file.rank,
      .aggregators = &servers.ranks.get(),
      .domains = plan.domains.count,
      .my_domain = servers.mine,
      .budget_bytes = policy::message_budget(plan.domains.window_bytes, file.settings.hints),
      .pool = &buffers.pool,
      .steps = &record.steps,
      .counters = &record.counters,
      .node = file.place().seat.node,
      .homes = &servers.homes.get(),
      .sent = file.records.traffic.sent(),
      .requests_ahead = plan.overlap.buffers,
      .shortage = &buffers.shortage};
  if (plan.path == policy::Path::two_phase && plan.transfers.by != policy::Transfer::two_sided) {
    link.remote = buffers.remote();
    link.shortest_piece_bytes = plan.transfers.shortest_piece_bytes;
  }
  if (plan.direction == policy::Direction::write && !servers.receivers.empty())
    link.receivers = &servers.receivers.get();
  return link;
}

observe::report::Placement placement_of(const policy::PlacedDomains& placed) {
  return {.how = placed.how,
          .reason = policy::placing_text(placed),
          .hop_bytes = placed.after.hop_bytes,
          .hop_bytes_in_order = placed.before.hop_bytes,
          .bytes_inside_nodes = placed.after.bytes_inside_nodes,
          .busiest_seconds = placed.after.busiest.time_s,
          .busiest_seconds_in_order = placed.before.busiest.time_s,
          .imbalance = placed.after.imbalance};
}

/// None: there is no memory for it.
std::optional<std::size_t> log_call(File& file, const policy::Plan& plan, observe::CallRecord record) try {
  record.path = policy::name_of(plan.path);
  record.reason_key = policy::reason_key(plan);
  record.span_bytes = plan.domains.high - plan.domains.low;
  if (plan.path == policy::Path::two_layer) record.local_aggregators = file.layers.local_aggregators();
  if (plan.path != policy::Path::independent && plan.domains.count > 0) {
    record.aggregators = plan.domains.count;
    record.rounds = plan.domains.most_rounds();
  }
  if (plan.placed && file.rank == 0) record.placement = placement_of(*plan.placed);
  return file.records.log.add(record, [&plan] { return policy::reason_text(plan); });
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

Planned plan_in_step(const Agreed& agreed) try {
  agreed.buffers.ranks.roll.come_to(transport::Stage::planning);
  Steps::Scope time(agreed.record.steps, Step::plan);
  Planned planned = plan_of(agreed.buffers, agreed.request, agreed.digest, agreed.prepared.access);
  agreed.record.counts.remembered = planned.seen ? 1 : 0;
  agreed.record.counts.placed = planned.placed ? 1 : 0;
  return planned;
} catch (const std::bad_alloc&) {  // ranks reduce and send rows while they plan
  end_without_memory(agreed.buffers.ranks);
}

/// Moves the bytes as planned, if that is still to do, and agrees on how that ended. `since_s`: when ranks
/// had the digest. Collective.
PathResult attempt(Agreed& agreed, const Planned& planned, const Servers& servers, double since_s) {
  const policy::Plan& plan = planned.plan;
  File& file = agreed.file;
  if (agreed.digest.moved_ahead() && plan.path == policy::Path::independent) {
    agreed.record.counts.met_once = 1;
    hear_failed_rank(agreed.buffers.ranks, agreed.ahead);
    return std::move(agreed.ahead);
  }
  CollectiveCall call{{file, plan, agreed.prepared.access, agreed.request.memory,
                       link_of(agreed.buffers, plan, servers, agreed.record), agreed.record.steps,
                       agreed.record.counters, planned.schedules.get(), agreed.digest.in_background == 0},
                      agreed.buffers,
                      agreed.buffers.ranks};
  if (call.all_wait && plan.direction == Direction::write && !agreed.last) let_leave_out(file);
  PathResult moved = move_bytes(call);
  if (leave_out_none(file)) moved.outcome.left_out = 1;
  agree_on_outcome(call, moved, since_s);
  return moved;
}

/// Of the call, and what they will send on rank 0. Collective where the plan's placement is new.
Servers servers_with_memory(const Agreed& agreed, const policy::Plan& plan) try {
  Servers servers = servers_of(agreed.buffers, plan);
  File& file = agreed.file;
  if (file.rank != 0) return servers;
  Traffic& traffic = file.records.traffic;
  const bool moved = plan.placed && !plan.placed->seat_of_domain.empty();
  if (!moved || servers.ranks != file.servers.ranks) {
    traffic.foresee(plan, agreed.digest.bytes, servers.homes, file.layers);
  } else {  // they serve in order
    policy::Plan in_order = plan;
    in_order.placed.reset();
    traffic.foresee(in_order, agreed.digest.bytes, servers.homes, file.layers);
  }
  return servers;
} catch (const std::bad_alloc&) {  // less than a row of a placement
  end_without_memory(agreed.buffers.ranks);
}

/// The same, if need be in a second attempt with masks.
PathResult attempts(Agreed& agreed, Planned& planned, double since_s) {
  const Servers servers = servers_with_memory(agreed, planned.plan);
  PathResult moved = attempt(agreed, planned, servers, since_s);
  // Of the agreed outcome: all ranks make the second attempt, or none. There is no third.
  if (!moved.outcome.again) return moved;
  const policy::PlanRequest with_holes{agreed.request.direction, agreed.digest, agreed.file.most_domains(),
                                       true};
  planned.plan = policy::with_masks(agreed.file.plan(agreed.buffers, with_holes), planned.plan);
  return attempt(agreed, planned, servers, since_s);
}

/// A call in which ranks left slow subfiles out, made once more.
PathResult make_again(Agreed& agreed, Planned& planned, double since_s) {
  look_after_left_out(agreed.buffers.ranks);
  agreed.last = true;  // it leaves nothing out, so this ends
  agreed.buffers.shortage.left_out = false;
  planned = plan_in_step(agreed);
  return attempts(agreed, planned, since_s);
}

/// What the call was expected to take, and took. All ranks know the same of it.
void note_times(const Agreed& agreed, const policy::Plan& plan, const transport::Outcome& outcome) {
  observe::CallRecord& record = agreed.record;
  const policy::TimedCall call{plan.direction, plan.path, agreed.digest.bytes, plan.estimate_s(plan.path)};
  record.estimate_s = call.estimate_s;
  record.forecast_s = agreed.file.plans.forecasts.seconds(call);
  record.longest_s = 1e-9 * static_cast<double>(outcome.longest_ns);
  if (outcome.error == 0 && agreed.digest.in_background == 0)
    agreed.file.plans.forecasts.took(call, record.longest_s);
}

/// Moves the bytes of a call, and learns from it. Collective.
Completion carry_out(Agreed& agreed, Planned& planned, double since_s) {
  File& file = agreed.file;
  const policy::Digest& digest = agreed.digest;
  PathResult moved = attempts(agreed, planned, since_s);
  if (moved.outcome.left_out) moved = make_again(agreed, planned, since_s);
  if (planned.plan.path == policy::Path::two_layer) transport::NodeSlots::count_through(digest.bytes);
  note_times(agreed, planned.plan, moved.outcome);
  learn_from(agreed.buffers, {agreed.prepared.shape, digest, planned, moved.outcome});
  agreed.buffers.pool.trim(static_cast<std::size_t>(
      3 * policy::message_budget(planned.plan.domains.window_bytes, file.settings.hints)));
  if (planned.plan.direction == Direction::write && moved.outcome.error == 0 && digest.in_background == 0)
    look_after_targets(agreed.buffers.ranks, 1e-9 * static_cast<double>(moved.outcome.longest_ns));
  return completion_of(planned.plan.direction, agreed.prepared.access, moved);
}

const char* kind_of(const CallRequest& request) {
  return request.direction == Direction::write ? "write" : "read";
}

/// The agreement of a call. An error where ranks are in different calls. Collective.
core::Error agree(Agreed& agreed) {
  const Ranks& ranks = agreed.buffers.ranks;
  policy::Digest& digest = agreed.digest;
  digest = digest_of(agreed.file, agreed.prepared, agreed.request);
  digest.lack_slots = agreed.buffers.have_slots() ? 0 : 1;
  digest.through_slots = transport::NodeSlots::bytes_through();
  std::optional<PathResult> ahead = move_ahead(ranks, agreed.request, agreed.prepared, agreed.record);
  digest.unmoved = ahead || digest.bytes == 0 ? 0 : 1;
  if (ahead) agreed.ahead = std::move(*ahead);
  Steps::Scope time(agreed.record.steps, Step::digest);
  if (core::Error different = ranks.agreement.digest(digest, agreed.ahead.outcome); !different.ok())
    return different;
  agreed.file.unmet.together = digest.went_alone == 0;
  if (!digest.same_form()) agreed.record.operation = kind_of(agreed.request);
  return {};
}

/// What the digest says of all ranks' memory and errors. Collective.
core::Error settle(const Agreed& agreed) {
  if (agreed.digest.lack_slots > 0) {
    agreed.buffers.leave_slots();
    agreed.buffers.mail_room_bytes = 0;
  }
  core::Error error = agreed_error(agreed);
  core::Error& untold = agreed.file.unmet.untold;
  if (!error.ok() && agreed.prepared.error == &untold) untold = {};
  return error;
}

/// For the report's pictures. `begin`, `end`: seconds.
void note_call(const Agreed& agreed, double begin, double end) {
  observe::Pictures* pictures = agreed.file.records.pictures.get();
  if (!pictures) return;
  pictures->ask([&](observe::Buckets& asked) { access::put_bytes(agreed.prepared.access, asked); });
  pictures->call({begin, end});
}

/// A call that is over, in the file's log. `begin`: seconds.
void book(const Agreed& agreed, const policy::Plan& plan, Completion& done, double begin) {
  observe::CallRecord& record = agreed.record;
  record.counters.bytes = agreed.prepared.access.bytes;
  record.all_bytes = agreed.digest.bytes;
  record.all_pieces = agreed.digest.pieces;
  record.counters.most_buffer_bytes = static_cast<std::int64_t>(
      access::Buffer::take_peak() +
      (plan.path == policy::Path::two_layer ? agreed.buffers.slots().memory.bytes_there() : 0));
  record.error = done.error.message.empty() ? "" : "failed";
  const double end = observe::now_s();
  record.total_s = end - begin;
  note_call(agreed, begin, end);
  if (observe::traced)
    observe::trace_call(
        {record.operation, policy::name_of(plan.path), agreed.file.path, record.counters.bytes, begin, end});
  done.record = log_call(agreed.file, plan, std::move(record));
}

/// A call that would be the MPI library's, on a file whose bytes that does not have. On all ranks alike.
Completion refused(const File& file, const policy::Plan& plan) {
  return Completion::failed(
      {core::ErrorClass::type,
       file.path + " is kept in subfiles, which collio alone serves, and it cannot serve this call: " +
           policy::reason_text(plan)});
}

}  // namespace

Completion collective_call(File& file, const CallRequest& request) {
  if (file.stored.atomic) return atomic_call(file, request);
  if (goes_unmet(file, request)) return unmet_call(file, request);
  if (!file.unmet.owed.ok()) {  // on all ranks, also those that have the error
    CallRequest fails = request;
    fails.error = std::exchange(file.unmet.owed, {});
    return collective_call(file, fails);
  }
  std::optional<access::Reserve::Use> no_list_fails(std::in_place);  // others wait for this rank
  const Visit visit(file, request.operation, request.direction);
  if (core::Error late = hear_of_unmet(visit, kind_of(request)); !late.ok())
    return Completion::failed(std::move(late));
  observe::CallRecord record;
  record.steps.show(&visit.roll.shown());
  record.operation = request.operation;
  record.form = request.form;
  record.progress = request.progress;
  Buffers buffers(visit);
  access::Buffer::take_peak();
  observe::Pictures* const pictures = file.records.pictures.get();
  observe::CallLanes lanes;
  if (pictures) pictures->begin_moving(), record.steps.note(&lanes);
  const double begin = observe::now_s();

  no_list_fails.reset();  // what fails now they hear of
  Agreed agreed{buffers, file, request, record, prepare(file, request, record.steps)};
  if (core::Error different = agree(agreed); !different.ok()) return Completion::failed(std::move(different));
  // Beyond this point every rank holds the same digest, and decides the same.
  no_list_fails.emplace();
  if (core::Error error = settle(agreed); !error.ok()) return Completion::failed(std::move(error));
  const double since_s = observe::now_s();
  Planned planned = plan_in_step(agreed);
  Completion done;
  done.native = planned.plan.path == policy::Path::native;
  if (done.native && file.stored.subfiles) done = refused(file, planned.plan);
  if (!done.native && done.error.ok() && agreed.digest.bytes > 0) {
    done = carry_out(agreed, planned, since_s);
    if (pictures) pictures->end_moving(lanes, since_s);
  }
  no_list_fails.reset();
  book(agreed, planned.plan, done, begin);
  return done;
}

}  // namespace collio::engine
