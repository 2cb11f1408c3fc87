// How a window's bytes get to the file when some of them are holes.
#pragma once

#include "core/packed_extents.hpp"
#include "exchange/extent_transfers.hpp"
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

/// A window with holes on its way to the file: one by one, or by reading the whole span, filling its holes, and writing
/// it. Nothing but the pieces changes in the file.
class WindowWrite {
 public:
  /// Writes the whole span: there are no holes.
  void start(const Link& link, const WindowStorage& storage, const WindowSpan& span);
  /// Writes `pieces` (disjoint, ascending) of the span and nothing else.
  void start(const Link& link, const WindowStorage& storage, const WindowSpan& span, core::PackedExtents pieces);
  /// Moves on what is under way. True: it is over.
  bool advance();
  /// Waits until it is over.
  void finish();
  /// What came of it, from the start of the span. Once over.
  [[nodiscard]] storage::Transfer take() noexcept { return transfers_.take(); }

 private:
  void go_on_after_reading();

  Link link_;
  WindowStorage storage_;
  WindowSpan span_;
  core::PackedExtents pieces_;
  Buffer old_;                ///< read-modify-write: what the file has; empty at other times
  ExtentTransfers transfers_;
};

}  // namespace collio::exchange
