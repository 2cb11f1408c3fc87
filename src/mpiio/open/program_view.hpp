// The view the program set, and what of it the MPI library knows.
//
// Giving a large or deeply nested file type to the MPI library can cost more time and memory than the data
// calls themselves, and some libraries misread such types. collio therefore hands on at once only views that
// are small and plainly built; for others the library gets the etype alone, so that file pointers count in
// the right unit, and the whole view when it must do a collective call itself. A library that has the etype
// already is left alone: its ranks meet twice or more in each MPI_File_set_view. So a program that sets view
// after view, as PnetCDF and HDF5 do, has only the first plain one handed on at once.
#pragma once

#include "mpiio/shim/calls.h"

#include <atomic>

#include "access/access.hpp"
#include "access/type_contents.hpp"

namespace collio::mpiio {

/// How a view is to be treated; the largest value of all ranks holds for all.
enum class ViewKind : std::int32_t {
  /// all bytes of the file, in plain etypes: the etype alone says as much
  bytes,
  plain,
  costly,
  undescribed,
  invalid
};

class ProgramView {
 public:
  /// What the program set, after the library was given its part of it. Keeps the types, so the program may
  /// free its handles. `kind`: what ranks agreed on.
  void set(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype, ViewKind kind);
  /// An etype. `common`: all ranks have predefined ones, without holes and of this size. `is_there`: the
  /// library has one of this size on all ranks, and need not be given it again.
  struct Unit {
    MPI_Datatype etype = MPI_DATATYPE_NULL;
    std::int64_t bytes = 0;
    bool common = false, is_there = false;
  };
  /// Gives the library the view "all bytes, in such etypes", with file pointers at 0. Collective.
  int install_unit(MPI_File handle, const collio_calls& real, const Unit& unit, MPI_Info info);
  /// Gives the library the whole view, unless it has it; file pointers stay. Collective.
  int install(MPI_File handle, const collio_calls& real);
  /// The library must do its own calls through this view: it was given it, or needs none.
  [[nodiscard]] bool installed() const noexcept { return installed_; }
  void mark_installed() noexcept { installed_ = true; }
  void mark_etype_only() noexcept { installed_ = false; }
  /// The library was given a view that is not one of install_unit.
  void forget_unit() noexcept { unit_bytes_ = 0; }
  /// The shared file pointer is not where MPI_File_set_view puts it. Not collective: told to all ranks with
  /// the next view.
  void note_shared_pointer() noexcept { shared_pointer_moved_ = true; }
  /// The library has a common etype of this size, and its shared file pointer is where a new view would put
  /// it. On this rank: a library's call may fail on some.
  [[nodiscard]] bool has_unit(std::int64_t bytes) const noexcept {
    return unit_bytes_ == bytes && !shared_pointer_moved_;
  }
  /// set() was called.
  [[nodiscard]] bool known() const noexcept { return known_; }
  /// This rank made a call alone. The library sieves where the view has small pieces.
  void note_independent() noexcept {
    if (!whole_file_) library_missed_view_ = true;
  }
  /// The library was given a plain view before, and missed none since. On this rank.
  [[nodiscard]] bool one_of_many() const noexcept { return plain_handed_on_ && !library_missed_view_; }
  /// As MPI_File_get_view answers: new handles of derived types.
  void get(MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype) const;

 private:
  MPI_Offset displacement_ = 0;
  access::RetainedType etype_, filetype_;
  bool known_ = false, plain_handed_on_ = false;
  std::atomic<bool> whole_file_{true}, library_missed_view_{false};
  /// a call under way may set it
  std::atomic<bool> installed_{true};
  /// of install_unit's common etype, where the library's view is that still; 0: it is another
  std::int64_t unit_bytes_ = 0;
  std::atomic<bool> shared_pointer_moved_{false};
};

/// Predefined, and without holes.
[[nodiscard]] bool is_plain_etype(MPI_Datatype etype);

/// What this rank thinks of a view. Not collective.
[[nodiscard]] ViewKind judge_view(MPI_Datatype etype, MPI_Datatype filetype, const access::View& view);

/// First etype of the view that lies at or after the end of a file of `file_bytes` bytes.
[[nodiscard]] MPI_Offset end_position(const access::View& view, std::int64_t file_bytes);

}  // namespace collio::mpiio
