// The files collio has taken over, by MPI handle.
#pragma once

#include "mpiio/shim/calls.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "mpiio/open/program_view.hpp"
#include "mpiio/open/shared_pointer.hpp"
#include "storage/writer_mark.hpp"

namespace collio::mpiio {

struct Operation;

/// How data lie in the file, by its view.
enum class Representation : std::int32_t { native, external32, internal, other };

struct OpenFile : engine::Session {
  using Session::Session;
  /// MPI_MODE_*, of a file in subfiles; the MPI library heeds that of others
  int mode = 0;
  /// atomic mode: the MPI library keeps it
  bool atomic = false;
  /// of the view
  Representation representation = Representation::native;
  /// every rank's view is one collio can walk
  bool view_described = true;
  /// some rank's view is not one row of bytes: calls through it may sieve
  bool holes_in_view = false;
  ProgramView program_view;
  SharedPointer shared_pointer;
  /// this rank wrote what may come beside collective calls of other ranks
  std::once_flag own_mark;
  /// the individual file pointer is read and then set
  std::mutex pointer;
  /// it, while a call under way gives the library the view
  std::optional<MPI_Offset> pointer_meanwhile;
  /// the split call that was begun and not ended
  std::shared_ptr<Operation> split;
  /// a split call that the MPI library does is under way
  bool library_split = false;
  /// of blocking collective calls: the predefined type that the last one had, in a row, and its bytes
  MPI_Datatype last_type = MPI_DATATYPE_NULL;
  std::int64_t last_type_bytes = 0;
  /// what may be in the queue
  std::vector<std::weak_ptr<Operation>> posted;

  /// The individual file pointer. Under the lock `pointer` where calls may be under way. Not collective.
  [[nodiscard]] MPI_Offset position(MPI_File handle) const;
  int move_to(MPI_File handle, MPI_Offset offset);
  /// Returns when no call that was posted is under way: what comes next comes after them. Collective, in
  /// effect.
  void settle();
  [[nodiscard]] bool sequential() const noexcept { return (mode & MPI_MODE_SEQUENTIAL) != 0; }
  /// At close. A link goes without its file.
  [[nodiscard]] bool deletes() const noexcept {
    return (mode & MPI_MODE_DELETE_ON_CLOSE) != 0 && !engine->linked;
  }
  /// Whether collio does calls through a view in this representation. The MPI library does those on files of
  /// its own.
  [[nodiscard]] bool serves(Representation data) const noexcept {
    return data == Representation::native || (data != Representation::other && engine->stored.subfiles);
  }
  /// collio converts the data to external32 and back.
  [[nodiscard]] bool converts() const noexcept {
    return representation == Representation::external32 && engine->stored.subfiles;
  }
  /// False: the MPI library keeps this file's calls for now.
  [[nodiscard]] bool taken_over() const noexcept {
    return engine->stored.subfiles || (!atomic && serves(representation));
  }
};

/// Null when collio did not see the file opened, or left it to the MPI library. Thread-safe.
[[nodiscard]] std::shared_ptr<OpenFile> find_file(MPI_File handle);
/// All with this path, which is absolute. Thread-safe.
[[nodiscard]] std::vector<std::shared_ptr<OpenFile>> files_at(const std::string& path);
/// As find_file(), for a call on it, which ends before the file is closed. One look at a number where the
/// thread's last such call was on the same file.
[[nodiscard]] OpenFile* file_of_call(MPI_File handle);
/// find_file(), when all calls that were posted on it are done. Collective, in effect.
[[nodiscard]] std::shared_ptr<OpenFile> find_settled(MPI_File handle);
void remember_file(MPI_File handle, std::shared_ptr<OpenFile> file);
/// A mark that says that the file is written through the handle, whether collio or the library does
/// its calls; null: none.
/// Thread-safe.
void keep_mark(MPI_File handle, std::shared_ptr<storage::WriterMark> mark);
/// Those kept. They are gone when nobody holds them: once the file is closed.
[[nodiscard]] std::vector<std::shared_ptr<storage::WriterMark>> take_marks(MPI_File handle);
std::shared_ptr<OpenFile> forget_file(MPI_File handle);

}  // namespace collio::mpiio
