// close(2) and fsync(2) that fail, as on NFS, whose client writes back then and finds no room: MPI_File_close
// returns the error on all ranks, and gives everything back. MPI_File_sync returns it on the rank whose flush
// failed, and the next call that moves bytes, or the close, on all. The program
// stands in front of close() and fsync().
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "dealt_file.hpp"

using namespace collio::test;

namespace {

constexpr int count = 20000;
std::atomic<int> failing{0};  ///< errno of the next call on the file; 0: none fails
std::string failing_path;

std::string path_of(int fd) {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), none).string();
}

using OfDescriptor = int (*)(int);

/// The outcome of `real`, but an error for the first call on the file.
int fail_once(OfDescriptor real, int fd) {
  const int error = failing != 0 && path_of(fd) == failing_path ? failing.exchange(0) : 0;
  const int done = real(fd);
  if (error == 0) return done;
  errno = error;
  return -1;
}

}  // namespace

extern "C" int close(int fd) {
  static const auto real = reinterpret_cast<OfDescriptor>(dlsym(RTLD_NEXT, "close"));
  return fail_once(real, fd);
}

extern "C" int fsync(int fd) {
  static const auto real = reinterpret_cast<OfDescriptor>(dlsym(RTLD_NEXT, "fsync"));
  return fail_once(real, fd);
}

namespace {

int handled = 0;
void count_errors(MPI_File* /*file*/, int* /*code*/, ...) { ++handled; }

int open_descriptors(const std::string& path) {
  int found = 0;
  for (int fd = 0; fd < 1024; ++fd) found += path_of(fd) == path ? 1 : 0;
  return found;
}

struct Case {
  int error, expected;
  const char* path;
};

/// A file that all ranks have written, of whose errors count_errors() hears.
MPI_File written_file(Program& program, const std::string& path, const char* way) {
  MPI_File file = open_dealt(program, path, {.hints = {{"collio_path", way}}});
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_create_errhandler(count_errors, &handler);
  MPI_File_set_errhandler(file, handler);
  MPI_Errhandler_free(&handler);
  const auto data = values(program.rank, count);
  program.good(MPI_File_write_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_all");
  handled = 0;
  return file;
}

/// On the last rank, or on all, the next call on the file fails.
void arm(const Program& program, const std::string& path, const Case& one, bool all) {
  MPI_Barrier(MPI_COMM_WORLD);
  failing_path = path;
  if (all || program.rank == program.size - 1) failing = one.error;
}

void close_fails(Program& program, const Case& one, bool all) {
  const std::string path = program.temporary("closed");
  MPI_File file = written_file(program, path, one.path);
  arm(program, path, one, all);
  program.equal(program.same_error(MPI_File_close(&file), "a close whose close(2) fails"), one.expected,
                "class of the error");
  program.equal(failing, 0, "the failure that is left");
  program.equal(handled, 1, "calls of the error handler");
  program.that(file == MPI_FILE_NULL, "the handle is gone");
  program.equal(open_descriptors(path), 0, "descriptors left open");
}

/// `writes`: ranks write before they close.
void sync_fails(Program& program, const Case& one, bool all, bool writes) {
  const std::string path = program.temporary("flushed");
  MPI_File file = written_file(program, path, one.path);
  arm(program, path, one, all);
  const bool fails = failing != 0;
  // The MPI library's own fsync comes first, and what it returns has one class for all errors.
  const auto check_class = [&](int code) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    program.that(error_class == one.expected || error_class == MPI_ERR_IO, "class of the error of a flush");
  };
  const int code = MPI_File_sync(file);
  if (fails)
    check_class(code);
  else
    program.good(code, "a sync on a rank whose fsync(2) does not fail");
  MPI_Barrier(MPI_COMM_WORLD);
  failing = 0;
  program.good(MPI_File_sync(file), "the next sync");
  if (writes) {
    const auto data = values(program.rank, count);
    const auto write = [&] {
      return MPI_File_write_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE);
    };
    check_class(program.same_error(write(), "a write after a sync that failed on a rank"));
    program.good(write(), "the next write");
    program.good(MPI_File_close(&file), "the close after a write that failed");
  } else {
    check_class(program.same_error(MPI_File_close(&file), "a close after a sync that failed on a rank"));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 50);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  for (const Case& one : {Case{ENOSPC, MPI_ERR_NO_SPACE, "two_layer"},
                          Case{EDQUOT, MPI_ERR_QUOTA, "two_phase"}, Case{EIO, MPI_ERR_IO, "independent"}}) {
    for (const bool all : {false, true}) {
      close_fails(program, one, all);
      for (const bool writes : {false, true}) sync_fails(program, one, all, writes);
    }
    const std::string path = program.temporary("whole");
    MPI_File file = written_file(program, path, one.path);
    program.good(MPI_File_close(&file), "a close without an error");
  }
  return program.finish();
}
