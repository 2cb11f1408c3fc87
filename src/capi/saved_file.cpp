// See saved_file.hpp.
#include "capi/saved_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "capi/error.hpp"
#include "capi/file.hpp"
#include "capi/transfer.hpp"
#include "storage/subfiles/files.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::capi {

namespace {

using core::Error;
using core::ErrorClass;

/// Of a function of collio.h.
Error error_of_code(int code) { return code == COLLIO_OK ? Error{} : Error{ErrorClass(code), error_text()}; }

collio_pieces list_of(const SavedFile::Pieces& pieces) {
  return {static_cast<std::int64_t>(pieces.offsets.size()), pieces.offsets.data(), pieces.lengths.data()};
}

/// Where a new file goes: `target` is the path without links, `temporary` a name beside it that nobody has.
Error find_place(const std::string& path, std::string& target, std::string& temporary) {
  target = path;
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0) {
    if (!S_ISREG(about.st_mode))
      return {ErrorClass::argument,
              path + " is no regular file; allowed: a regular file, or a name that is free"};
    if (::access(path.c_str(), W_OK) != 0) return storage::errno_error("replace", path, errno);
    char real[PATH_MAX];
    if (::realpath(path.c_str(), real)) target = real;
  }
  std::random_device random;
  char number[24];
  std::snprintf(number, sizeof number, ".new.%08x%08x", random(), random());
  temporary = target + number;
  return {};
}

/// With the mode of the file that was there.
Error give_name(const std::string& temporary, const std::string& target) {
  struct stat about {};
  if (::stat(target.c_str(), &about) == 0 && ::chmod(temporary.c_str(), about.st_mode & 07777) != 0)
    return storage::errno_error("change the mode of", temporary, errno);
  return error_of_code(replace_file(target.c_str(), temporary.c_str()));
}

}  // namespace

core::Error SavedFile::check_comm(int fortran_comm) {
  MPI_Comm comm = MPI_COMM_NULL;
  const char* why = refused(fortran_comm, comm);
  return why ? Error{ErrorClass::argument, why} : Error{};
}

SavedFile::SavedFile(int fortran_comm, const char* path) : fortran_comm_(fortran_comm) {
  static_cast<void>(refused(fortran_comm, comm_));
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  path_ = path ? path : "";
}

SavedFile::~SavedFile() {
  if (file_) static_cast<void>(close_file(&file_));
  if (rank_ == 0 && !temporary_.empty()) ::unlink(temporary_.c_str());
}

core::Error SavedFile::agreed(core::Error mine) const {
  // The kind counts first, then the rank.
  std::int64_t worst = static_cast<std::int64_t>(mine.kind) << 32 | (mine.ok() ? 0 : rank_);
  transport::reduce_to_all(&worst, 1, MPI_INT64_T, MPI_MAX, comm_);
  if (worst == 0) return {};
  transport::broadcast_text(mine.message, static_cast<int>(worst & 0xffffffff), comm_);
  mine.kind = static_cast<ErrorClass>(worst >> 32);
  return mine;
}

core::Error SavedFile::named(core::Error error) const {
  if (!error.ok()) error.message = path_ + ": " + error.message;
  return error;
}

core::Error SavedFile::open(int mode) {
  return error_of_code(open_file(fortran_comm_, path_.c_str(), mode, nullptr, &file_));
}

core::Error SavedFile::close() { return file_ ? error_of_code(close_file(&file_)) : Error{}; }

core::Error SavedFile::create() {
  std::string name;
  Error error = on_all([&] { return rank_ == 0 ? find_place(path_, target_, name) : Error{}; });
  if (!error.ok()) return error;
  transport::broadcast_text(name, 0, comm_);
  temporary_ = std::move(name);  // nobody else has a file of that name
  return error_of_code(open_file(fortran_comm_, temporary_.c_str(),
                                 COLLIO_WRITE | COLLIO_CREATE | COLLIO_EXCLUSIVE | COLLIO_WHOLE, nullptr,
                                 &file_));
}

core::Error SavedFile::replace() {
  Error error = error_of_code(sync_file(file_));
  core::keep_worst(error, close());
  if (!error.ok()) return error;
  error = on_all([&] { return rank_ == 0 ? give_name(temporary_, target_) : Error{}; });
  if (error.ok()) temporary_.clear();
  return error;
}

core::Error SavedFile::write(const Pieces& pieces, const access::Bytes& memory) {
  const collio_pieces list = list_of(pieces);
  return error_of_code(write_pieces(file_, &list, memory.data(), nullptr, nullptr));
}

core::Error SavedFile::read(const Pieces& pieces, access::Bytes& memory) {
  const collio_pieces list = list_of(pieces);
  return error_of_code(read_pieces(file_, &list, memory.data(), nullptr, nullptr));
}

core::Error SavedFile::read_begin(std::size_t most, access::Bytes& begin, std::int64_t& size) {
  std::array<std::int64_t, 2> found{};
  begin.assign(most, 0);
  const Error error = on_all([&]() -> Error {
    if (rank_ != 0) return {};
    if (Error wrong = error_of_code(size_of_file(file_, &found[0])); !wrong.ok()) return wrong;
    Pieces first;
    first.add(0, static_cast<std::int64_t>(most));
    const collio_pieces list = list_of(first);
    return error_of_code(read_alone(file_, &list, begin.data(), nullptr, &found[1]));
  });
  if (!error.ok()) return error;
  transport::broadcast(found.data(), 2, MPI_INT64_T, 0, comm_);
  transport::broadcast(begin.data(), static_cast<int>(most), MPI_BYTE, 0, comm_);
  size = found[0];
  begin.resize(static_cast<std::size_t>(found[1]));
  return {};
}

}  // namespace collio::capi
