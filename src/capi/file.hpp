// An open file of a program that uses collio as a library.
#pragma once

#include <memory>
#include <vector>

#include "access/decomposition.hpp"
#include "capi/epoch.hpp"
#include "capi/library.h"
#include "engine/declared/put_list.hpp"
#include "engine/session/session.hpp"

struct collio_decomposition {
  std::shared_ptr<const collio::access::Decomposition> elements;
};

struct collio_variable {
  collio_file* file;
  std::shared_ptr<const collio::access::Decomposition> elements;
  std::int64_t element_bytes, offset, record_bytes;
};

struct collio_file {
  /// What a commit writes, or a fetch reads.
  struct Pending {
    collio::engine::PutList puts;
    /// of a put since the last one
    collio::core::Error error;
    [[nodiscard]] bool none() const noexcept { return puts.empty() && error.ok(); }
    void forget() {
      puts.clear();
      error = {};
    }
  };
  std::shared_ptr<collio::engine::Session> open;
  /// of rank 0, of a file that is written
  std::shared_ptr<collio::storage::WriterMark> writer_mark;
  /// of the file, as the first rank saw it at open
  std::uint64_t inode = 0;
  Pending writes, reads;
  /// null: no puts are declared
  std::unique_ptr<collio::capi::Epoch> epoch;
  std::vector<std::unique_ptr<collio_variable>> variables;
};

namespace collio::capi {

/// An error where the file's mode forbids it. Not collective.
[[nodiscard]] core::Error check_mode(const collio_file& file, policy::Direction direction);

/// Null where it can be used, and then `comm`: what is wrong with the communicator. Not collective.
[[nodiscard]] const char* refused(int fortran_comm, MPI_Comm& comm);

int open_file(int fortran_comm, const char* path, int mode, const char* hints, collio_file** file);
/// The same with MPI's handle: a communicator that is in order.
int open_file_on(MPI_Comm comm, const char* path, int mode, const char* hints, collio_file** file);
int close_file(collio_file** file);
int sync_file(collio_file* file);
int delete_file(const char* path);
int replace_file(const char* path, const char* by);
int size_of_file(collio_file* file, int64_t* bytes);
int set_size(collio_file* file, int64_t bytes);

}  // namespace collio::capi
