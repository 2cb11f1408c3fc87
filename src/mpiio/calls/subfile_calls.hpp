// Calls on files that are kept in subfiles, which the MPI library cannot do: it has the placeholder open.
// Files that are not go to the library.
#pragma once

#include "mpiio/shim/calls.h"

#include "mpiio/open/open_files.hpp"

namespace collio::mpiio {

/// The file is kept in subfiles: then collio does all its calls.
[[nodiscard]] inline bool alone(const OpenFile& file) { return file.engine->stored.subfiles.has_value(); }

/// After the engine has opened a file in subfiles: where its file pointers are, and that the library has no
/// view. Collective.
[[nodiscard]] core::Error begin_alone(OpenFile& file, MPI_File handle);

/// MPI_File_get_size. Not collective.
int get_size(MPI_File handle, MPI_Offset* bytes);

/// MPI_File_set_size and MPI_File_preallocate of a file in subfiles, inside a visit. Collective.
int resize_alone(OpenFile& file, const engine::Ranks& ranks, MPI_File handle, MPI_Offset bytes,
                 storage::Resize how);

/// MPI_File_set_atomicity of a file in subfiles, inside a visit. Collective.
int set_atomicity_alone(OpenFile& file, const engine::Ranks& ranks, MPI_File handle, bool atomic);

/// MPI_File_get_atomicity. Not collective.
int get_atomicity(MPI_File handle, int* flag);

/// MPI_File_delete, with the subfiles. Error, and nothing is removed: a program has them open, or nothing
/// tells which they are. Not collective.
int delete_file(const char* path, MPI_Info info);

}  // namespace collio::mpiio
