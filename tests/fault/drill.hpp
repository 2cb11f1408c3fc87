// One drill: a collective call with a fault, and what every rank found of it. Used by the tests and by
// tools/fault_matrix.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace collio::test {

/// A drill as plain data, the same on all ranks. Written "key=value;key=value"; keys that are not listed here
/// are hints.
struct Drill {
  std::string name = "drill";
  std::string file;               ///< path of the data
  bool write = true;              ///< direction=write, read
  std::string form = "blocking";  ///< blocking, nonblocking, split; of collio.h: see drill_library.hpp
  bool holes = false;             ///< layout=dense, holes: one block in as many as ranks is nobody's
  bool fresh = false;             ///< there is no file before
  std::int64_t bytes = 200000;    ///< of every rank
  std::string faults;             ///< rules as COLLIO_FAULTS has them, until the second try
  int limited_rank = -1;          ///< of this rank no file may be longer than limit_bytes; -1: of none
  std::int64_t limit_bytes = 0;
  std::string before,
      after;            ///< shell commands of rank 0: between open and call, between call and second try
  bool again = true;    ///< a second try, without the fault
  std::string look_at;  ///< path under which the file is looked into afterwards; empty: its own
  std::string look_in;  ///< of a file in subfiles: the folders of these, as collio_subfile_dirs has them, by
                        ///< paths that show them whatever happens
  std::string names;    ///< what the error's text must have too
  std::map<std::string, std::string> hints;
};

/// Throws std::invalid_argument with the key that is wrong.
[[nodiscard]] Drill parse_drill(const std::string& text);

/// What one rank found; counts of bytes. A row of numbers, so that rank 0 can gather it.
struct Found {
  std::int64_t opened = 0;        ///< error class of MPI_File_open
  std::int64_t taken_over = 0;    ///< collio does the file's calls
  std::int64_t error_class = 0;   ///< of the call
  std::int64_t counted = 0;       ///< by the status
  std::int64_t untrue = 0;        ///< of those: not in the file, or not what was read
  std::int64_t foreign = 0;       ///< bytes of the file that are neither what was there nor what was written
  std::int64_t handled = 0;       ///< calls of the file's error handler
  std::int64_t named = 0;         ///< the error's text has rank, path, offset and errno
  std::int64_t again_class = 0;   ///< of the second try
  std::int64_t again_wrong = 0;   ///< bytes that are not as they should be after it, or were not counted
  std::int64_t closed = 0;        ///< error class of MPI_File_close
  std::int64_t milliseconds = 0;  ///< of the call
};

/// The outcome of a drill on all ranks. On rank 0.
struct Outcome {
  std::vector<Found> ranks;
  std::string message;  ///< of the lowest rank with an error

  /// "success", "NO_SPACE on all", "NO_SPACE on ranks 1,2 only", "success, 400 bytes missing", … The first of
  /// these is what should be.
  [[nodiscard]] std::string verdict() const;
  /// Nobody was lied to: the same error class on all ranks, true counts, no foreign bytes, one call of the
  /// handler, and the second try worked.
  [[nodiscard]] bool honest() const;
  /// JSON object, without a line's end.
  [[nodiscard]] std::string json(const Drill& drill) const;
};

/// Collective over the world.
[[nodiscard]] Outcome run_drill(const Drill& drill);

/// Name of an MPI error class without MPI_ERR_; "success" for MPI_SUCCESS.
[[nodiscard]] std::string class_name(std::int64_t error_class);

}  // namespace collio::test
