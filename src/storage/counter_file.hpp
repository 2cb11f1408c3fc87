// A number that processes of a job share without MPI, in a small file beside their data: each use holds a
// lock of byte ranges on it (range_lock.hpp). Where processes on other nodes take part, the file system's
// locks must reach them.
//
// A number belongs to a generation, and is 0 at the beginning of each. So nobody has to reset it while others
// might use it: who comes first with a later generation finds 0.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "core/result.hpp"
#include "storage/subfiles/files.hpp"

namespace collio::storage {

class CounterFile {
 public:
  /// Opens the file, and makes it if it is not there. The first use says what went wrong.
  explicit CounterFile(std::string path);

  /// Adds to the number. What it was before. Not collective. Thread-safe.
  [[nodiscard]] core::Result<std::int64_t> add(std::int64_t generation, std::int64_t more);
  /// Replaces it. Not collective. Thread-safe.
  [[nodiscard]] core::Error set(std::int64_t generation, std::int64_t number);

 private:
  template <class Change>
  core::Result<std::int64_t> change(std::int64_t generation, Change&& change);

  std::string path_;
  OpenedFile file_;
  /// a lock of the file keeps no threads of one process apart
  std::mutex threads_;
};

}  // namespace collio::storage
