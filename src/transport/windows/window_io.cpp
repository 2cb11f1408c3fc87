// See window_io.hpp.
#include "transport/windows/window_io.hpp"

#include <algorithm>
#include <new>

#include "access/reserve.hpp"

namespace collio::transport {

using observe::Step;
using observe::Steps;
using storage::Transfer;

bool WindowStorage::sieve_pays(const SieveCost& c) const noexcept {
  const double whole = static_cast<double>(c.transfers) *
                       (model.operation_s + static_cast<double>(c.span_bytes) / model.bandwidth_bytes_per_s);
  const double pieces = static_cast<double>(c.operations) * model.operation_s +
                        static_cast<double>(c.data_bytes) / model.bandwidth_bytes_per_s;
  return whole < pieces;
}

void WindowWrite::start(const MessageLink& link, const WindowStorage& storage, const WindowSpan& span) {
  ++link.counters->dense_windows;
  whole_.reset();
  transfers_.start(*storage.file, ExtentTransfers::write, span);
}

namespace {

/// Empty where there is no memory: then pieces are written one by one.
Buffer room_for_old_content(const MessageLink& link, const WindowSpan& span) {
  try {
    return link.pool->take(static_cast<std::size_t>(span.extent.length));
  } catch (const std::bad_alloc&) {
    return {};
  }
}

/// Reading and writing the holes is for locks alone: without one, what others write there meanwhile would be
/// lost.
bool may_sieve(const WindowStorage& storage, const WindowSpan& span, const core::PackedExtents& pieces) {
  if (!storage.readable || pieces.pieces() < 2 || !storage.file->locks()) return false;
  if (storage.holes != policy::Holes::automatic) return storage.holes == policy::Holes::sieve;
  return storage.sieve_pays({pieces.pieces(), 2, span.extent.length, pieces.bytes()});
}

std::optional<Transfer> sieve(const MessageLink& link, const WindowStorage& storage,
                              const storage::PieceWrite& what, const WindowSpan& span) {
  Buffer room = room_for_old_content(link, span);
  if (!room) return std::nullopt;
  std::optional<Transfer> outcome =
      storage.file->sieve(what.span, room.data(), [&](std::byte* to) { what.copy_to(to); });
  link.pool->give_back(std::move(room));
  return outcome;
}

/// With the holes, where nobody else writes the file.
std::optional<Transfer> write_whole(const MessageLink& link, const WindowStorage& storage,
                                    const WindowSpan& span, const WindowPieces& pieces) {
  if (!storage.all_wait || storage.holes != policy::Holes::automatic || pieces.count < 2) return std::nullopt;
  const auto pays = [&](std::int64_t transfers) {
    return storage.sieve_pays({pieces.count, transfers, span.extent.length, pieces.bytes});
  };
  if (!pays(1)) return std::nullopt;
  Buffer room;
  const auto make_room = [&] { return (room = room_for_old_content(link, span)).data(); };
  std::optional<Transfer> outcome = storage.file->write_whole(
      {span.extent, span.data, pieces.each, storage.readable && pays(2), make_room});
  link.pool->give_back(std::move(room));
  return outcome;
}

core::PackedExtents list_of(const WindowPieces& pieces) {
  core::PackedBuilder builder({});
  pieces.each([&](const core::Extent& e) { builder.add(e); });
  return builder.finish();
}

}  // namespace

bool WindowWrite::start(const MessageLink& link, const WindowStorage& storage, const WindowSpan& span,
                        const WindowPieces& pieces) try {
  const access::Reserve::Abstain can_be_left_out;
  if ((whole_ = write_whole(link, storage, span, pieces))) {
    ++link.counters->sieved_windows;
    return true;
  }
  core::PackedExtents list = list_of(pieces);
  const storage::PieceWrite what{span.extent, span.data, list};
  if (may_sieve(storage, span, list)) whole_ = sieve(link, storage, what, span);
  if (whole_) {
    ++link.counters->sieved_windows;
    return true;
  }
  ++link.counters->piecewise_windows;
  if (list.pieces() > 1 && storage.file->store(what))
    whole_ = Transfer{span.extent.length, {}};
  else
    transfers_.start(*storage.file, ExtentTransfers::write, span, std::move(list));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool WindowWrite::advance() { return whole_ || transfers_.advance(); }

void WindowWrite::finish() {
  if (!whole_) transfers_.finish();
}

Transfer WindowWrite::take() noexcept { return whole_ ? std::move(*whole_) : transfers_.take(); }

}  // namespace collio::transport
