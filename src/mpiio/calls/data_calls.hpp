// The data calls of MPI_File_*: one description for the many forms MPI has.
#pragma once

#include "mpiio/shim/calls.h"

#include <memory>
#include <string_view>

#include "engine/call/call.hpp"
#include "mpiio/library/library.hpp"
#include "mpiio/open/open_files.hpp"

namespace collio::mpiio {

/// Where a data call begins: at the file pointer, or at an offset that it gives.
enum class Place { here, at };

/// A data call as the program made it. `offset` counts etypes and is used with Place::at.
struct DataCall {
  MPI_File handle;
  policy::Direction direction;
  Place begin;
  MPI_Offset offset;
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Status* status;
  [[nodiscard]] bool writes() const noexcept { return direction == policy::Direction::write; }
};

/// Bytes moved, as MPI_Get_elements will tell. `status` may be MPI_STATUS_IGNORE.
void set_status(MPI_Status* status, std::int64_t bytes);

/// "write_at_all" and the like: of a collective call in the report.
[[nodiscard]] std::string_view name_of(const DataCall& call) noexcept;

/// The call in the engine's terms. `offset`: where it begins, in etypes. Errors of this rank's arguments are
/// in the request.
[[nodiscard]] engine::CallRequest request_of(OpenFile& file, const DataCall& call, MPI_Offset& offset);

/// After a read: gives the program the data that were converted. An error of this rank's memory. Not
/// collective.
[[nodiscard]] core::Error give_converted(const engine::CallRequest& request, std::int64_t bytes);

/// An error when the file's mode forbids the call; the same on all ranks.
[[nodiscard]] core::Error check_mode(const OpenFile& file, const DataCall& call);

/// write_all, read_all, write_at_all, read_at_all. Collective.
int collective(const DataCall& call);

/// write, read, write_at, read_at through a view the MPI library does not have. Not collective.
int independent(OpenFile& file, const DataCall& call);

/// The same for iwrite, iread, iwrite_at, iread_at: done at once, the request is complete.
int independent_at_once(OpenFile& file, DataCall call, MPI_Request* request);

}  // namespace collio::mpiio
