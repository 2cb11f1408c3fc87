// See own_call.hpp.
#include "engine/call/own_call.hpp"

#include <new>
#include <utility>

#include "access/asked_bytes.hpp"
#include "engine/file/same_call.hpp"
#include "engine/independent/independent.hpp"
#include "policy/plan/plan.hpp"

namespace collio::engine {

namespace {

/// Where a call of this rank's own is booked, and whether the MPI library may sieve for other ranks
/// meanwhile.
struct Books {
  observe::CallRecord& record;
  /// of the bytes accessed; null: nobody asks
  core::Extent* span = nullptr;
  bool others_sieve = false;
};

bool writes_beside(const File& file, bool others_sieve) noexcept {
  return others_sieve && file.settings.hints.write_holes != policy::Holes::piecewise;
}

PathResult move_own(File& file, const CallRequest& request, const access::FileAccess& access,
                    const Books& books) {
  observe::CallRecord& record = books.record;
  policy::Plan plan;
  plan.direction = request.direction;
  transport::MessageLink link{.rank = file.rank,
                              .pool = &transport::spare_buffers(),
                              .steps = &record.steps,
                              .counters = &record.counters};
  Call call{file, plan, access, request.memory, link, record.steps, record.counters};
  call.beside = writes_beside(file, books.others_sieve);
  call.sieves = call.beside && request.may_sieve && file.stored.handle() && file.stored.readable;
  return request.direction == policy::Direction::write ? independent_write(call) : independent_read(call);
}

Completion own_call(File& file, const CallRequest& request, const Books& books) try {
  if (!request.error.ok()) return Completion::failed(request.error);
  if (request.undescribed)
    return Completion::failed(
        {core::ErrorClass::type,
         "collio does not know how the datatype was made; the MPI library does such calls where ranks "
         "make them together (romio_cb_write and romio_cb_read other than disable)"});
  const access::FileAccess access = access_of(file, request);
  std::optional<SpanLocks::Held> lock;
  if (file.stored.atomic && access.bytes > 0)
    lock.emplace(*file.stored.atomic, access.span, request.direction);
  if (lock && !lock->error().ok()) return Completion::failed(lock->error());
  books.record.counters.bytes += access.bytes;
  books.record.all_pieces += access.pieces;
  if (books.span) *books.span = access.span;
  observe::Pictures* const pictures = file.records.pictures.get();
  const double begin_s = pictures ? observe::now_s() : 0;
  const PathResult moved = move_own(file, request, access, books);
  if (pictures) {
    pictures->ask([&](observe::Buckets& asked) { access::put_bytes(access, asked); });
    pictures->call({begin_s, observe::now_s()});
  }
  return completion_of(request.direction, access, moved);
} catch (const std::bad_alloc&) {
  return Completion::failed(without_memory);
}

}  // namespace

std::optional<PathResult> move_ahead(const Ranks& ranks, const CallRequest& request, const Prepared& prepared,
                                     observe::CallRecord& record) {
  File& file = ranks.file;
  const bool checked = file.settings.hints.check != policy::Check::none;  // writes are compared first
  if (!prepared.error->ok() || request.undescribed || checked || request.memory.device()) return {};
  if (request.direction == policy::Direction::write && may_leave_out(file)) return {};  // as it could not
  if (!file.stored.all_hold || !file.unmet.together || file.records.times.independent_calls > 0 ||
      !file.plans.memory.goes_by_own_calls(prepared.shape, request.direction,
                                           request.form == observe::Form::blocking))
    return {};
  ranks.roll.come_to(transport::Stage::moving);
  const double begin_s = observe::now_s();
  std::optional<PathResult> moved;
  try {
    moved = move_own(file, request, prepared.access, {record, nullptr, request.others_sieve});
  } catch (const std::bad_alloc&) {
    return {};
  }
  moved->outcome.longest_ns = static_cast<std::int64_t>(1e9 * (observe::now_s() - begin_s));
  if (moved->outcome.error != 0) moved->outcome.failed_rank = file.rank;
  ranks.roll.come_to(transport::Stage::arriving);
  return moved;
}

Completion independent_call(File& file, const CallRequest& request) {
  observe::CallRecord unlogged;
  return own_call(file, request, {unlogged, nullptr, request.others_sieve});
}

Completion atomic_call(File& file, const CallRequest& request) {
  const Visit visit(file, request.operation, request.direction);
  if (core::Error error = check_same_data_call(visit, request.operation); !error.ok())
    return Completion::failed(std::move(error));
  Completion done = independent_call(file, request);
  done.error = visit.agreement.worst(done.error, "failed in " + request.operation);
  return done;
}

namespace {

/// One call more.
UnmetCalls::OneWay& counted(File& file, policy::Direction direction, std::string_view operation) {
  UnmetCalls::OneWay& unmet = file.unmet.of(direction);
  std::string& name = unmet.record.operation;
  if (unmet.made++ == 0) {
    name = operation;
    unmet.record.path = policy::name_of(policy::Path::independent);
  } else if (name != operation) {
    name = direction == policy::Direction::write ? "write" : "read";
  }
  return unmet;
}

}  // namespace

bool goes_unmet(const File& file, const CallRequest& request) {
  return request.may_go_unmet && file.stored.all_hold && may_go_unmet(file, request.direction);
}

Completion unmet_call(File& file, const CallRequest& request) {
  UnmetCalls::OneWay& unmet = counted(file, request.direction, request.operation);
  if (!file.unmet.owed.ok()) return Completion::failed(std::exchange(file.unmet.owed, {}));
  const double begin_s = observe::now_s();
  core::Extent span;
  Completion done = own_call(file, request, {unmet.record, &span, request.holes_in_view});
  const double end_s = observe::now_s();
  unmet.record.total_s += end_s - begin_s;
  if (observe::traced)
    observe::trace_call({request.operation, unmet.record.path, file.path, done.bytes, begin_s, end_s});
  unmet.note(file.rank, span, done.error);
  return done;
}

bool moves_at_once(const File& file, policy::Direction direction) noexcept {
  return may_go_unmet(file, direction) && file.stored.all_hold && file.stored.handle_so_far() &&
         !file.stored.atomic && file.unmet.owed.ok();
}

namespace {

/// all of the first 16 short calls are timed, and one of 16 from then on
constexpr std::int64_t calls_for_one = 16;

bool is_short(std::int64_t bytes) noexcept { return bytes <= std::int64_t{64} << 10; }

}  // namespace

bool is_timed(const File& file, policy::Direction direction, std::int64_t bytes) noexcept {
  const UnmetCalls::OneWay& unmet =
      direction == policy::Direction::write ? file.unmet.writes : file.unmet.reads;
  return !is_short(bytes) || unmet.made < calls_for_one || unmet.untimed == calls_for_one - 1;
}

namespace {

storage::Transfer move(const File& file, storage::Storage& stored, const OnePiece& piece) {
  if (piece.direction == policy::Direction::read) return stored.read(piece.extent, piece.memory);
  return writes_beside(file, piece.holes_in_view) ? stored.write_beside(piece.extent, piece.memory)
                                                  : stored.write(piece.extent, piece.memory);
}

bool moved_once(const File& file, const OnePiece& piece) try {
  storage::Storage& stored = *file.stored.handle_so_far();
  if (piece.direction == policy::Direction::read) return stored.read_once(piece.extent, piece.memory);
  if (!writes_beside(file, piece.holes_in_view)) return stored.write_once(piece.extent, piece.memory);
  return stored.write_beside(piece.extent, piece.memory).error.ok();
} catch (const std::bad_alloc&) {
  return false;
}

void note_asked(File& file, const OnePiece& piece) {
  if (observe::Pictures* const pictures = file.records.pictures.get())
    pictures->ask([&](observe::Buckets& asked) { asked.add(piece.extent.offset, piece.extent.end()); });
}

}  // namespace

std::optional<storage::Transfer> move_piece_alone(File& file, const OnePiece& piece) {
  storage::Storage* const stored = file.stored.handle_so_far();
  if (!stored || !file.stored.all_hold || file.stored.atomic) return {};
  note_asked(file, piece);
  return move(file, *stored, piece);
}

bool unmet_piece(File& file, const OnePiece& piece) {
  const bool traced = observe::traced.load(std::memory_order_relaxed);
  const double begin_s = piece.timed || traced ? observe::now_s() : 0;
  if (!moved_once(file, piece)) return false;
  UnmetCalls::OneWay& unmet = counted(file, piece.direction, piece.operation);
  if (traced)
    observe::trace_call(
        {piece.operation, unmet.record.path, file.path, piece.extent.length, begin_s, observe::now_s()});
  if (piece.timed) {
    const auto calls =
        static_cast<double>(is_short(piece.extent.length) ? 1 + std::exchange(unmet.untimed, 0) : 1);
    const double took_s = calls * (observe::now_s() - begin_s);
    unmet.record.total_s += took_s;
    unmet.record.steps.add(
        piece.direction == policy::Direction::write ? observe::Step::write : observe::Step::read, took_s);
    if (file.records.pictures) file.records.pictures->call({begin_s, begin_s + took_s});
  } else {
    ++unmet.untimed;
  }
  note_asked(file, piece);
  unmet.record.counters.bytes += piece.extent.length;
  ++unmet.record.counters.pieces;
  ++unmet.record.all_pieces;
  unmet.note_span(piece.extent);
  return true;
}

}  // namespace collio::engine
