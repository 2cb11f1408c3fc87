// How a window's bytes get to the file when some of them are holes.
#pragma once

#include <optional>

#include "core/packed_extents.hpp"
#include "machine/machine.hpp"
#include "policy/hints/hints.hpp"
#include "storage/storage.hpp"
#include "transport/messages/link.hpp"
#include "transport/windows/extent_transfers.hpp"

namespace collio::transport {

/// Where a window is written to or read from, and how.
struct WindowStorage {
  /// null: it could not be opened (the call fails)
  storage::Storage* file = nullptr;
  /// old content can be read
  bool readable = false;
  policy::Holes holes = policy::Holes::automatic;
  /// every rank of the file waits in this call, and writes nothing else meanwhile
  bool all_wait = false;
  machine::StorageModel model;

  /// True when `transfers` transfers of the whole span cost less than one for each of `operations` pieces.
  struct SieveCost {
    std::int64_t operations = 0, transfers = 1;
    std::int64_t span_bytes = 0, data_bytes = 0;
  };
  [[nodiscard]] bool sieve_pays(const SieveCost& choice) const noexcept;
};

/// What a window has of its span.
struct WindowPieces {
  /// at most
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  storage::EachPiece each;
};

/// A window on its way to the file. No byte changes there but those of its pieces, whatever others write
/// beside them: holes are written, too, only where nobody else writes, or under a lock.
class WindowWrite {
 public:
  /// Writes the whole span: there are no holes.
  void start(const MessageLink& link, const WindowStorage& storage, const WindowSpan& span);
  /// Writes the pieces of the span and nothing else. False: there is no memory for it, and nothing is
  /// written.
  [[nodiscard]] bool start(const MessageLink& link, const WindowStorage& storage, const WindowSpan& span,
                           const WindowPieces& pieces);
  /// Moves on what is under way. True: it is over.
  bool advance();
  /// Waits until it is over.
  void finish();
  /// The result, from the start of the span. Once over.
  [[nodiscard]] storage::Transfer take() noexcept;

 private:
  /// with its holes, or through a mapping: over when it began
  std::optional<storage::Transfer> whole_;
  ExtentTransfers transfers_;
};

}  // namespace collio::transport
