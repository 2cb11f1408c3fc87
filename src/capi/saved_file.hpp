// A file of a saved decomposition, opened by collio's own functions: what each step failed with is an Error,
// the same kind on all ranks.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "access/saved_decomposition.hpp"
#include "capi/library.h"

namespace collio::capi {

/// A file and its ranks. Functions are collective.
class SavedFile {
 public:
  /// Refused: MPI is not initialized, or the communicator cannot be used. Not collective.
  [[nodiscard]] static core::Error check_comm(int fortran_comm);
  /// `mode`: of enum collio_mode.
  SavedFile(int fortran_comm, const char* path);
  ~SavedFile();
  SavedFile(const SavedFile&) = delete;
  SavedFile& operator=(const SavedFile&) = delete;

  /// Which comes last of the ranks' errors, with its text, on all ranks.
  [[nodiscard]] core::Error agreed(core::Error mine) const;
  /// `work`, an Error, on this rank; then as agreed(). No memory is an Error, too.
  template <class Work>
  [[nodiscard]] core::Error on_all(Work&& work) const {
    core::Error mine;
    try {
      mine = work();
    } catch (const std::bad_alloc&) {
      mine = {core::ErrorClass::no_memory, "no memory"};
    }
    return agreed(std::move(mine));
  }

  [[nodiscard]] core::Error open(int mode);
  [[nodiscard]] core::Error close();
  /// Opens a new file to write, under a temporary name. It is removed with this unless replace() comes.
  [[nodiscard]] core::Error create();
  /// Flushes the new file, closes it and gives it the path: whatever happens to the machine, the path has the
  /// whole file before or the whole new one.
  [[nodiscard]] core::Error replace();
  /// Moves pieces of the file from or to `memory`, one after the other.
  struct Pieces {
    std::vector<std::int64_t> offsets, lengths;
    void add(std::int64_t offset, std::int64_t length) {
      offsets.push_back(offset), lengths.push_back(length);
    }
  };
  [[nodiscard]] core::Error write(const Pieces& pieces, const access::Bytes& memory);
  [[nodiscard]] core::Error read(const Pieces& pieces, access::Bytes& memory);
  /// The file's first bytes, up to `most`, and its size: as rank 0 sees them, on all ranks.
  [[nodiscard]] core::Error read_begin(std::size_t most, access::Bytes& begin, std::int64_t& size);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  /// The path and what is wrong with the file.
  [[nodiscard]] core::Error named(core::Error error) const;

 private:
  int fortran_comm_, rank_ = 0, ranks_ = 1;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::string path_;
  /// of the file being written; "": none is
  std::string temporary_, target_;
  collio_file* file_ = nullptr;
};

}  // namespace collio::capi
