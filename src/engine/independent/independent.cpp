// The path without exchange: every rank writes or reads its own pieces.
//
// Right when pieces are long, and for file pieces in no particular order. Adjacent pieces were coalesced by
// the pattern; contiguous memory goes to the file without a copy. Short pieces that lie near each other are
// sieved: read with the holes between them, and in a rank's own calls written so under a lock.
#include "engine/independent/independent.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "core/batch.hpp"
#include "core/piece_groups.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;
using storage::Transfer;

namespace {

/// for memory that is not contiguous, or a device's
constexpr std::int64_t staging_bytes = 1 << 20;

/// Which pieces of a call are moved together.
core::PieceGroups::Limits limits_of(const Call& call, bool write) {
  const policy::Hints& hints = call.file.settings.hints;
  const machine::StorageModel& model = call.file.machine.storage;
  core::PieceGroups::Limits limits;
  limits.piece_bytes = call.memory.direct() ? std::numeric_limits<std::int64_t>::max() : staging_bytes;
  limits.span_bytes = std::min(
      {write ? hints.write_sieve_bytes : hints.read_sieve_bytes, model.window_bytes, limits.piece_bytes});
  limits.moves = write ? 3 : 2;  // to its place too; write: the old bytes come first
  const policy::Holes holes = write ? hints.write_holes : hints.read_holes;
  if ((write && !call.sieves) || holes == policy::Holes::piecewise) return limits;
  limits.call_bytes = holes == policy::Holes::sieve
                          ? 2 * limits.moves * limits.span_bytes
                          : static_cast<std::int64_t>(model.operation_s * model.bandwidth_bytes_per_s);
  return limits;
}

/// This rank's pieces on their way.
class OwnPieces {
 public:
  OwnPieces(Call& call, PathResult& moved, storage::Storage& file)
      : call_(call), moved_(moved), file_(file) {}
  ~OwnPieces() {
    call_.link.pool->give_back(std::move(staging_));
    call_.link.pool->give_back(std::move(room_));
  }
  OwnPieces(const OwnPieces&) = delete;
  OwnPieces& operator=(const OwnPieces&) = delete;

  /// False: there is no memory, which the result then has.
  bool prepare() {
    if (call_.memory.direct()) return true;
    try {
      staging_ = call_.link.pool->take(staging_bytes);
      return true;
    } catch (const std::bad_alloc&) {
      moved_.note(call_.access.span.offset, {0, no_memory(call_)});
      return false;
    }
  }

  /// Calls each(group), until it returns false.
  template <class Each>
  void for_each_group(bool write, Each&& each) {
    const core::PieceGroups::Limits limits = limits_of(call_, write);
    room_bytes_ = limits.span_bytes;
    core::Cursor cursor(call_.access.pattern);
    cursor.seek_stream(call_.access.begin);
    core::PieceGroups groups(cursor, call_.access.bytes, limits);
    core::PieceGroup group;
    while (groups.next(group))
      if (!each(group)) return;
  }

  /// False: it failed.
  bool write(const core::PieceGroup& group) {
    const std::byte* from = gathered(group);
    if (!note_device(group.span.offset)) return false;
    Steps::Scope time(call_.steps, Step::write);
    if (group.several() && room()) {
      const auto place = [&](std::byte* to) { core::scatter_runs(to - group.span.offset, group.runs, from); };
      if (const std::optional<Transfer> whole = file_.sieve(group.span, room_.data(), place)) {
        ++call_.counters.sieved_windows;
        return note(group, group.span, *whole);
      }
    }
    for_each_piece(group, [&](const core::Extent& piece, std::int64_t position) {
      const std::byte* bytes = from + (position - position_of(group));
      return note(group, piece, call_.beside ? file_.write_beside(piece, bytes) : file_.write(piece, bytes));
    });
    return moved_.outcome.error == 0;
  }

  /// False: the rest is not to be read.
  bool read(const core::PieceGroup& group) {
    if (group.several() && room()) {
      Transfer whole;
      {
        Steps::Scope time(call_.steps, Step::read);
        whole = file_.read(group.span, room_.data());
      }
      // What holes cannot be read for is no matter: each piece then shows its own outcome.
      if (whole.error.ok()) {
        ++call_.counters.sieved_windows;
        return take_from_room(group, whole.bytes);
      }
    }
    bool go_on = true;
    for_each_piece(group, [&](const core::Extent& piece, std::int64_t position) {
      return go_on = read_piece(group, piece, position);
    });
    return go_on;
  }

 private:
  [[nodiscard]] std::int64_t position_of(const core::PieceGroup& group) const noexcept {
    return group.stream - call_.access.begin;
  }

  /// Calls each(piece, position in the memory), until it returns false.
  template <class Each>
  void for_each_piece(const core::PieceGroup& group, Each&& each) {
    std::int64_t position = position_of(group);
    for (const core::Run& run : group.runs)
      for (std::int64_t i = 0; i < run.count; ++i, position += run.length)
        if (!each(core::Extent{run.offset + i * run.stride, run.length}, position)) return;
  }

  /// The group's bytes one behind the other.
  const std::byte* gathered(const core::PieceGroup& group) {
    if (!staging_) return call_.memory.at(position_of(group));
    Steps::Scope time(call_.steps, Step::pack);
    call_.memory.gather(position_of(group), group.bytes, staging_.data());
    return staging_.data();
  }

  /// Memory for a group with its holes. Where there is none, pieces are moved one by one.
  bool room() {
    if (room_ || no_room_) return !no_room_;
    try {
      room_ = call_.link.pool->take(static_cast<std::size_t>(room_bytes_));
    } catch (const std::bad_alloc&) {
      no_room_ = true;
    }
    return !no_room_;
  }

  bool note(const core::PieceGroup& group, const core::Extent& extent, const Transfer& t) {
    call_.counters.pieces += extent == group.span ? pieces_in(group) : 1;
    moved_.note(extent.offset, t);
    return moved_.outcome.error == 0;
  }
  static std::int64_t pieces_in(const core::PieceGroup& group) noexcept {
    std::int64_t pieces = 0;
    for (const core::Run& run : group.runs) pieces += run.count;
    return pieces;
  }

  /// Bytes that a device did not give or take, at file offset `offset`. True when there are none.
  bool note_device(std::int64_t offset) {
    if (call_.memory.device()) moved_.note(offset, {0, call_.memory.failure()});
    return moved_.outcome.error == 0;
  }

  /// A short read is the end of the file, and of the access unless its pieces are in no particular order.
  [[nodiscard]] bool goes_on_after(std::int64_t bytes, std::int64_t wanted) const noexcept {
    return bytes == wanted || !call_.access.ascending();
  }

  bool take_from_room(const core::PieceGroup& group, std::int64_t read_bytes) {
    const std::int64_t bytes = group.bytes_before(group.span.offset + read_bytes);
    Steps::Scope time(call_.steps, Step::pack);
    std::byte* const to = staging_ ? staging_.data() : call_.memory.at(position_of(group));
    const std::byte* const from = room_.data() - group.span.offset;
    if (bytes == group.bytes)
      core::gather_runs(to, from, group.runs);
    else
      for_each_piece(group, [&](const core::Extent& piece, std::int64_t position) {
        const std::int64_t at = position - position_of(group);
        if (at < bytes) std::copy_n(from + piece.offset, std::min(piece.length, bytes - at), to + at);
        return at < bytes;
      });
    if (staging_) call_.memory.scatter(position_of(group), bytes, staging_.data());
    moved_.bytes += bytes;
    return note(group, group.span, {read_bytes, {}}) && note_device(group.span.offset) &&
           goes_on_after(bytes, group.bytes);
  }

  bool read_piece(const core::PieceGroup& group, const core::Extent& piece, std::int64_t position) {
    Transfer t;
    {
      Steps::Scope time(call_.steps, Step::read);
      t = file_.read(piece, staging_ ? staging_.data() : call_.memory.at(position));
    }
    if (staging_) {
      Steps::Scope time(call_.steps, Step::pack);
      call_.memory.scatter(position, t.bytes, staging_.data());
    }
    moved_.bytes += t.bytes;
    note(group, piece, t);
    return note_device(piece.offset) && t.error.ok() && goes_on_after(t.bytes, piece.length);
  }

  Call& call_;
  PathResult& moved_;
  storage::Storage& file_;
  transport::Buffer staging_, room_;
  std::int64_t room_bytes_ = 0;
  bool no_room_ = false;
};

/// What both directions begin with: the file. Null when there is nothing to do, or when the file cannot be
/// opened, which `moved` then says.
storage::Storage* begin(Call& call, PathResult& moved) {
  if (call.access.bytes == 0) return nullptr;
  core::Error why;
  storage::Storage* file = call.file.stored.handle(&why);
  if (!file) moved.note(call.access.span.offset, {0, why});
  return file;
}

}  // namespace

PathResult independent_write(Call& call) {
  PathResult moved;
  storage::Storage* file = begin(call, moved);
  if (!file) return moved;
  OwnPieces pieces(call, moved, *file);
  if (pieces.prepare())
    pieces.for_each_group(true, [&](const core::PieceGroup& group) { return pieces.write(group); });
  return moved;
}

PathResult independent_read(Call& call) {
  PathResult moved;
  storage::Storage* file = begin(call, moved);
  if (!file) return moved;
  OwnPieces pieces(call, moved, *file);
  if (pieces.prepare())
    pieces.for_each_group(false, [&](const core::PieceGroup& group) { return pieces.read(group); });
  return moved;
}

}  // namespace collio::engine
