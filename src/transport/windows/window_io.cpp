// See window_io.hpp.
#include "transport/windows/window_io.hpp"

#include <algorithm>
#include <new>

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

}  // namespace

void WindowWrite::start(const MessageLink& link, const WindowStorage& storage, const WindowSpan& span,
                        core::PackedExtents pieces) {
  const storage::PieceWrite what{span.extent, span.data, pieces};
  whole_.reset();
  if (may_sieve(storage, span, pieces)) whole_ = sieve(link, storage, what, span);
  if (whole_) {
    ++link.counters->sieved_windows;
    return;
  }
  ++link.counters->piecewise_windows;
  if (pieces.pieces() > 1 && storage.file->store(what))
    whole_ = Transfer{span.extent.length, {}};
  else
    transfers_.start(*storage.file, ExtentTransfers::write, span, std::move(pieces));
}

bool WindowWrite::advance() { return whole_ || transfers_.advance(); }

void WindowWrite::finish() {
  if (!whole_) transfers_.finish();
}

Transfer WindowWrite::take() noexcept { return whole_ ? std::move(*whole_) : transfers_.take(); }

}  // namespace collio::transport
