// An open file of PnetCDF's whose data collio moves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "netcdf/last_lists.hpp"
#include "pnetcdf/contract.h"
#include "pnetcdf/layout.hpp"
#include "pnetcdf/requests.hpp"

struct collio_file;

namespace collio::observe::report {
struct PnetcdfCounts;
}

namespace collio::pnetcdf {

enum class Mode { defining, collective, independent };

struct File {
  File(int ncid, collio_file* opened, bool may_write);

  const int id;
  collio_file* data;
  const bool writable;
  /// for the report
  observe::report::PnetcdfCounts& calls;
  Mode mode = Mode::defining;
  Layout layout;
  netcdf::LastLists lists;
  RequestList puts{0}, gets{1};
  std::optional<AttachedBuffer> buffer;
  /// by collio, in the file
  std::int64_t put_bytes = 0, got_bytes = 0;
};

/// A file that PnetCDF has just made or opened.
struct Opened {
  MPI_Comm comm;
  const char* path;
  /// the program's
  MPI_Info info;
  int ncid;
  /// writable: of rank 0, which PnetCDF goes by
  bool writable, created;
  /// that PnetCDF returned to this rank; `ncid` is of no use where it opened nothing
  int code;
};

/// Null: collio does not serve it. Thread-safe. O(log files).
[[nodiscard]] File* find_file(int ncid) noexcept;
/// Opens its data with collio, unless PnetCDF is to keep it or has not opened it. The same on all ranks.
/// Collective.
void serve_file(const Opened& opened);
/// Closes the data of a file, if it is served, and forgets it. A code of PnetCDF's. Collective.
[[nodiscard]] int end_file(int ncid);

}  // namespace collio::pnetcdf
