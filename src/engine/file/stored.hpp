// Where an open file's bytes are, and this rank's handle to them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "engine/file/ranks.hpp"
#include "engine/file/span_locks.hpp"
#include "engine/file/storage_use.hpp"
#include "engine/file/subfiles.hpp"
#include "observe/pictures.hpp"
#include "storage/faults.hpp"

namespace collio::engine {

class Stored {
 public:
  /// `writer_mark`: see storage/writer_mark.hpp; 0: none.
  Stored(const File& file, std::uint32_t writer_mark) : file_(file), writer_mark_(writer_mark) {}

  /// This rank's handle, opened at first use. Null when it cannot be opened: `why` says so. Not collective.
  /// Thread-safe.
  [[nodiscard]] storage::Storage* handle(core::Error* why = nullptr);
  /// The handle so far; null: it is not open.
  [[nodiscard]] storage::Storage* handle_so_far() const noexcept { return opened_.file.get(); }
  [[nodiscard]] const storage::Opened& opened() const noexcept { return opened_; }
  /// Faults are injected into the handle's calls from now on, where the hints ask for it. Before it is open.
  /// `domain`: that this rank serves; -1: none. The warning to give; empty: none are injected.
  [[nodiscard]] std::string begin_drill(int domain);
  /// Where not all ranks open the file at once: later ones open it by the handle of one that has it. `first`:
  /// a rank that has. Collective.
  void learn_holder(const Ranks& ranks, int first);
  /// Flushes what this rank wrote. Not collective, as close().
  [[nodiscard]] core::Error sync();
  [[nodiscard]] core::Error close();
  /// What happened on this rank that was not asked for; also once it is closed.
  [[nodiscard]] std::string remarks() const {
    return opened_.file ? opened_.file->remarks() : closed_remarks_;
  }
  [[nodiscard]] bool has_writer_mark() const noexcept { return writer_mark_ != 0; }

  /// by the handle
  bool readable = false;
  /// all ranks have the file open; the same on all ranks
  bool all_hold = false;
  /// what makes the calls
  StorageUse use;
  /// which hold its bytes; none: they are in the file
  std::optional<SubfileUse> subfiles;
  /// atomic mode of a file in subfiles; null: not in force
  std::unique_ptr<SpanLocks> atomic;

 private:
  /// that stripes of the file are dealt to
  [[nodiscard]] observe::Pictures::Targets targets() const;

  const File& file_;
  const std::uint32_t writer_mark_;
  /// of opened_: an independent call may come while a collective one is under way
  std::mutex opening_;
  storage::Opened opened_;
  /// the process that opened the file before this rank
  std::optional<storage::Holder> holder_;
  /// null: no faults are injected
  std::shared_ptr<storage::FaultDrill> drill_;
  /// of the storage, when it was closed
  std::string closed_remarks_;
};

}  // namespace collio::engine
