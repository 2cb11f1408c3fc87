// The view the program set, and what of it the MPI library knows.
//
// Giving a large or deeply nested file type to the MPI library can cost more time and memory than the data
// calls themselves, and some libraries misread such types. collio therefore hands on at once only views that
// are small and plainly built; for others the library gets the etype alone, so that file pointers count in the
// right unit, and the whole view when it must do a collective call itself.
#pragma once

#include "mpiio/calls.h"

#include <atomic>

#include "access/access.hpp"
#include "access/type_contents.hpp"

namespace collio::mpiio {

/// How a view is to be treated; the largest value of all ranks holds for all.
enum class ViewKind : std::int32_t { plain, costly, undescribed, invalid };

class ProgramView {
 public:
  /// Keeps the types, so the program may free its handles.
  void set(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype);
  /// Gives the library only the etype. Collective, by the library's rules.
  int install_etype(MPI_File handle, const collio_calls& real, const access::View& view, MPI_Info info);
  /// Gives the library the whole view, unless it has it; file pointers stay. Collective.
  int install(MPI_File handle, const collio_calls& real);
  /// The library must do its own calls through this view: it was given it, or needs none.
  [[nodiscard]] bool installed() const noexcept { return installed_; }
  void mark_installed() noexcept { installed_ = true; }
  /// As MPI_File_get_view answers: new handles of derived types.
  void get(MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype) const;

 private:
  MPI_Offset displacement_ = 0;
  access::RetainedType etype_, filetype_;
  std::atomic<bool> installed_{true};  ///< a call under way may set it
};

/// What this rank thinks of a view. Not collective.
[[nodiscard]] ViewKind judge_view(MPI_Datatype etype, MPI_Datatype filetype, const access::View& view);

/// First etype of the view that lies at or after the end of a file of `file_bytes` bytes.
[[nodiscard]] MPI_Offset end_position(const access::View& view, std::int64_t file_bytes);

}  // namespace collio::mpiio
