// How a window's bytes get to the file when some of them are holes.
#pragma once

#include "core/packed_extents.hpp"
#include "exchange/link.hpp"
#include "machine/machine.hpp"
#include "policy/hints.hpp"
#include "storage/storage.hpp"

namespace collio::exchange {

/// Where a window is written to or read from, and how.
struct WindowStorage {
  storage::Storage* file = nullptr;  ///< null: it could not be opened (the call fails)
  bool readable = false;             ///< read-modify-write is possible
  policy::Holes holes = policy::Holes::automatic;
  machine::StorageModel model;

  /// True when `transfers` transfers of the whole span cost less than one for each of `operations` pieces.
  struct Choice {
    std::int64_t operations = 0, transfers = 1;
    std::int64_t span_bytes = 0, data_bytes = 0;
  };
  [[nodiscard]] bool sieve_pays(const Choice& choice) const noexcept;
};

/// A stretch of the file and the buffer it goes from or comes to.
struct WindowSpan {
  core::Extent extent;
  std::byte* data = nullptr;  ///< of the extent's first byte
  [[nodiscard]] std::byte* at(std::int64_t offset) const noexcept { return data + (offset - extent.offset); }
};

/// Calls each(Extent) for every piece, until it returns false.
template <class Each>
void for_each_extent(const core::PackedExtents& list, Each&& each) {
  core::PackedReader reader = list.reader(list.before_stream(0));
  for (std::int64_t i = 0; i < list.items(); ++i) {
    core::Run run = reader.next();
    for (std::int64_t k = 0; k < run.count; ++k, run.offset += run.stride)
      if (!each(core::Extent{run.offset, run.length})) return;
  }
}

/// Writes `pieces` (disjoint, ascending) of the span and nothing else: one by one, or by reading the whole span,
/// filling its holes, and writing it. The transfer counts from the start of the span.
[[nodiscard]] storage::Transfer write_with_holes(const Link& link, const WindowStorage& storage, const WindowSpan& span,
                                                 const core::PackedExtents& pieces);

}  // namespace collio::exchange
