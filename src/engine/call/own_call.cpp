// See own_call.hpp.
#include "engine/call/own_call.hpp"

#include <new>

#include "engine/independent/independent.hpp"
#include "policy/plan/plan.hpp"

namespace collio::engine {

namespace {

PathResult move_own(File& file, const CallRequest& request, const access::FileAccess& access,
                    observe::CallRecord& record) {
  policy::Plan plan;
  plan.direction = request.direction;
  transport::MessageLink link{.rank = file.rank,
                              .pool = &transport::spare_buffers(),
                              .steps = &record.steps,
                              .counters = &record.counters};
  Call call{file, plan, access, request.memory, link, record.steps, record.counters};
  call.beside = request.others_sieve && file.hints.write_holes != policy::Holes::piecewise;
  call.sieves = call.beside && request.may_sieve && file.storage() && file.readable;
  return request.direction == policy::Direction::write ? independent_write(call) : independent_read(call);
}

/// Where a call of this rank's own is booked.
struct Books {
  observe::CallRecord& record;
  core::Extent* span;  ///< of the bytes accessed; null: nobody asks
};

Completion own_call(File& file, const CallRequest& request, const Books& books) try {
  if (!request.error.ok()) return {false, 0, request.error, {}};
  if (request.undescribed)
    return {false, 0, {core::ErrorClass::type, "the datatype cannot be described by collio"}, {}};
  const access::FileAccess access = access_of(file, request);
  std::optional<SpanLocks::Held> lock;
  if (file.atomic && access.bytes > 0) lock.emplace(*file.atomic, access.span, request.direction);
  if (lock && !lock->error().ok()) return {false, 0, lock->error(), {}};
  books.record.counters.bytes += access.bytes;
  books.record.all_pieces += access.pieces;
  if (books.span) *books.span = access.span;
  return completion_of(request.direction, access, move_own(file, request, access, books.record));
} catch (const std::bad_alloc&) {
  return {false, 0, without_memory, {}};
}

}  // namespace

std::optional<PathResult> move_ahead(File& file, const CallRequest& request, const Prepared& prepared,
                                     observe::CallRecord& record) {
  const bool checked = file.hints.check != policy::Check::none;  // writes are compared first
  if (!prepared.error->ok() || request.undescribed || checked || request.memory.device()) return {};
  if (request.direction == policy::Direction::write && may_leave_out(file)) return {};  // as it could not
  if (!file.all_hold() || !file.together || file.times.independent_calls > 0 ||
      !file.memory.goes_by_own_calls(prepared.shape, request.direction,
                                     request.form == observe::Form::blocking))
    return {};
  file.roll->come_to(transport::Stage::moving);
  const double begin_s = observe::now_s();
  std::optional<PathResult> moved;
  try {
    moved = move_own(file, request, prepared.access, record);
  } catch (const std::bad_alloc&) {
    return {};
  }
  moved->outcome.longest_ns = static_cast<std::int64_t>(1e9 * (observe::now_s() - begin_s));
  if (moved->outcome.error != 0) moved->outcome.failed_rank = file.rank;
  file.roll->come_to(transport::Stage::arriving);
  return moved;
}

Completion independent_call(File& file, const CallRequest& request) {
  observe::CallRecord unlogged;
  return own_call(file, request, {unlogged, nullptr});
}

bool goes_unmet(const File& file, const CallRequest& request) {
  const bool write = request.direction == policy::Direction::write;
  if (!(write ? file.hints.own_writes : file.hints.own_reads)) return false;
  if (request.form != observe::Form::blocking || request.pieces)
    return false;  // collio.h promises an error to all
  return file.hints.check == policy::Check::none && !file.subfiles && file.owns_line();
}

Completion unmet_call(File& file, const CallRequest& request) {
  UnmetCalls::OneWay& unmet = file.unmet.of(request.direction);
  ++unmet.made;
  unmet.record.operation = request.operation;
  unmet.record.path = policy::name_of(policy::Path::independent);
  const double begin_s = observe::now_s();
  core::Extent span;
  Completion done = own_call(file, request, {unmet.record, &span});
  unmet.record.total_s += observe::now_s() - begin_s;
  unmet.note(file.rank, span, done.error);
  return done;
}

}  // namespace collio::engine
