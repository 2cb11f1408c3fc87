// See window_io.hpp.
#include "exchange/window_io.hpp"

#include <algorithm>

namespace collio::exchange {

using observe::Step;
using observe::Steps;
using storage::Transfer;

bool WindowStorage::sieve_pays(const Choice& c) const noexcept {
  const double whole = static_cast<double>(c.transfers) * (model.operation_s +
                       static_cast<double>(c.span_bytes) / model.bandwidth_bytes_per_s);
  const double pieces = static_cast<double>(c.operations) * model.operation_s +
                        static_cast<double>(c.data_bytes) / model.bandwidth_bytes_per_s;
  return whole < pieces;
}

namespace {

Transfer write_pieces(const Link& link, const WindowStorage& storage, const WindowSpan& span,
                      const core::PackedExtents& pieces) {
  ++link.counters->piecewise_windows;
  Transfer all;
  for_each_extent(pieces, [&](const core::Extent& e) {
    Transfer t = storage.file->write(e, span.at(e.offset));
    all.bytes = e.offset + t.bytes - span.extent.offset;
    all.error = std::move(t.error);
    return all.error.ok();
  });
  return all;
}

Transfer write_sieved(const Link& link, const WindowStorage& storage, const WindowSpan& span,
                      const core::PackedExtents& pieces) {
  const core::Extent& e = span.extent;
  Buffer old = link.pool->take(static_cast<std::size_t>(e.length));
  Transfer before;
  {
    Steps::Scope time(*link.steps, Step::read);
    before = storage.file->read(e, old.data());
  }
  if (!before.error.ok()) {
    link.pool->give_back(std::move(old));
    return write_pieces(link, storage, span, pieces);
  }
  ++link.counters->sieved_windows;
  std::fill_n(old.data() + before.bytes, e.length - before.bytes, std::byte{0});
  std::int64_t hole = e.offset;
  for_each_extent(pieces, [&](const core::Extent& piece) {
    std::copy_n(old.data() + (hole - e.offset), piece.offset - hole, span.at(hole));
    hole = piece.end();
    return true;
  });
  link.pool->give_back(std::move(old));
  return storage.file->write(e, span.data);
}

}  // namespace

Transfer write_with_holes(const Link& link, const WindowStorage& storage, const WindowSpan& span,
                          const core::PackedExtents& pieces) {
  const bool sieve =
      storage.readable && pieces.pieces() > 1 &&
      (storage.holes == policy::Holes::sieve ||
       (storage.holes == policy::Holes::automatic &&
        storage.sieve_pays({pieces.pieces(), 2, span.extent.length, pieces.bytes()})));
  return sieve ? write_sieved(link, storage, span, pieces) : write_pieces(link, storage, span, pieces);
}

}  // namespace collio::exchange
