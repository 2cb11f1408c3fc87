// The disk is full in the n-th step of a job that makes a file in subfiles, writes, flushes and joins it, for
// every n: all ranks get the error, what was flushed stays, and no room is lost. The program stands in front
// of the calls that may need room.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <limits>

#include "../mpi/check.hpp"
#include "../mpi/in_front.hpp"
#include "../mpi/open_with.hpp"

using namespace collio::test;
namespace fs = std::filesystem;

namespace {

constexpr int never = std::numeric_limits<int>::max();
int steps = 0;                           ///< of the engine's on this rank
int full_from = never, full_to = never;  ///< steps that fail

/// Whether the disk is full at this step, a call of the engine's from `caller`.
bool is_full(const void* caller) {
  if (!from_engine(caller)) return false;
  const int step = steps++;
  return step >= full_from && step <= full_to;
}

int no_space() { return errno = ENOSPC, -1; }

}  // namespace

#define FULL_HERE is_full(__builtin_return_address(0))

extern "C" int open(const char* path, int flags, ...) {
  static const auto real = reinterpret_cast<int (*)(const char*, int, ...)>(dlsym(RTLD_NEXT, "open"));
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return (flags & O_CREAT) != 0 && FULL_HERE ? no_space() : real(path, flags, mode);
}
extern "C" int mkdir(const char* path, mode_t mode) noexcept {
  return FULL_HERE ? no_space() : COLLIO_BEHIND(mkdir)(path, mode);
}
extern "C" int rename(const char* from, const char* to) noexcept {
  return FULL_HERE ? no_space() : COLLIO_BEHIND(rename)(from, to);
}
extern "C" ssize_t pwrite(int fd, const void* data, size_t bytes, off_t offset) {
  return FULL_HERE ? no_space() : COLLIO_BEHIND(pwrite)(fd, data, bytes, offset);
}
extern "C" int fsync(int fd) { return FULL_HERE ? no_space() : COLLIO_BEHIND(fsync)(fd); }
extern "C" int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  return FULL_HERE ? no_space() : COLLIO_BEHIND(fallocate)(fd, mode, offset, bytes);
}
/// copy_file_range(): the kernel copies nothing, so joins go through memory.
ssize_t copy_by_kernel() __asm__("copy_file_range");
ssize_t copy_by_kernel() { return FULL_HERE ? no_space() : (errno = EXDEV, -1); }

namespace {

constexpr int ints = 2000;

/// Which steps fail, and on which rank.
struct Full {
  int rank, from, to;
};

/// What became of the calls: MPI_SUCCESS, or the class on all ranks. After a failed open there are no calls.
struct Outcome {
  int open = MPI_SUCCESS, write = MPI_SUCCESS, sync = MPI_SUCCESS, close = MPI_SUCCESS;
  int steps = 0;  ///< of the rank with the full disk
};

/// The class, which all ranks have.
int settled(Program& program, int code, const char* call) {
  int any = code == MPI_SUCCESS ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (any == 0) return MPI_SUCCESS;
  const int kind = program.same_error(code, call);
  program.equal(kind, MPI_ERR_NO_SPACE, call);
  return kind;
}

Outcome run(Program& program, const std::string& path, const Pairs& hints, const Full& full) {
  Outcome done;
  MPI_File file = MPI_FILE_NULL;
  MPI_Barrier(MPI_COMM_WORLD);
  steps = 0;
  if (program.rank == full.rank) full_from = full.from, full_to = full.to;
  done.open =
      settled(program, open_with(hints, path, MPI_MODE_CREATE | MPI_MODE_RDWR, &file), "MPI_File_open");
  if (done.open == MPI_SUCCESS) {
    const auto data = values(program.rank, ints);
    done.write = settled(
        program,
        MPI_File_write_at_all(file, 4LL * ints * program.rank, data.data(), ints, MPI_INT, MPI_STATUS_IGNORE),
        "MPI_File_write_at_all");
    done.sync = settled(program, MPI_File_sync(file), "MPI_File_sync");
    done.close = settled(program, MPI_File_close(&file), "MPI_File_close");
  }
  full_from = full_to = never;
  done.steps = steps;
  MPI_Bcast(&done.steps, 1, MPI_INT, full.rank, MPI_COMM_WORLD);
  return done;
}

/// Names that begin with the file's. Folders of other tests beside it, which come and go, are not entered.
std::vector<std::string> names_of(const std::string& path) {
  std::vector<std::string> names;
  const auto note = [&](const fs::path& found) { names.push_back(found.native().substr(path.size())); };
  for (const auto& entry : fs::directory_iterator(fs::path(path).parent_path())) {
    if (!entry.path().native().starts_with(path)) continue;
    note(entry.path());
    if (!fs::is_directory(entry.path())) continue;
    for (const auto& inside : fs::recursive_directory_iterator(entry.path())) note(inside.path());
  }
  return names;
}

void check_data(Program& program, const std::string& path, const char* what) {
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({}, path, MPI_MODE_RDONLY, &file), what);
  if (file == MPI_FILE_NULL) return;
  std::vector<int> found(ints, -1);
  MPI_File_read_at_all(file, 4LL * ints * program.rank, found.data(), ints, MPI_INT, MPI_STATUS_IGNORE);
  program.that(found == values(program.rank, ints), what);
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void check_left(Program& program, const std::string& path, const Outcome& done, const char* what) {
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string text = raw(path);
  const bool in_set = text.starts_with("collio placeholder");
  for (const std::string& name : names_of(path))
    program.that(name.find(".new.") == std::string::npos, (what + (": " + name)).c_str());
  if (done.open != MPI_SUCCESS) {
    program.that(text.empty(), what);
    program.equal(static_cast<long long>(names_of(path).size()), 1, what);
  } else if (done.close != MPI_SUCCESS) {
    program.that(!in_set || text.size() < 1024, (what + std::string(": a failed join takes room")).c_str());
  }
  if (done.open == MPI_SUCCESS && done.write == MPI_SUCCESS && done.sync == MPI_SUCCESS)
    check_data(program, path, what);
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) program.good(MPI_File_delete(path.c_str(), MPI_INFO_NULL), "MPI_File_delete");
  if (program.rank == 0 && done.open == MPI_SUCCESS && in_set)
    program.that(names_of(path).empty(), (what + std::string(": deleted")).c_str());
  if (program.rank == 0) fs::remove_all(path + ".collio");
  MPI_Barrier(MPI_COMM_WORLD);
}

void fills_up(Program& program, const Pairs& hints, int rank, bool stays_full) {
  const std::string path = program.temporary("full");
  int failed = 0;
  for (int n = 0;; ++n) {
    const Outcome done = run(program, path, hints, {rank, n, stays_full ? never : n});
    const std::string what = "rank " + std::to_string(rank) + ", step " + std::to_string(n) +
                             (stays_full ? " and all later ones" : "");
    failed += done.open != MPI_SUCCESS || done.write != MPI_SUCCESS || done.sync != MPI_SUCCESS ||
              done.close != MPI_SUCCESS;
    check_left(program, path, done, what.c_str());
    if (done.steps <= n) break;  // none failed
  }
  program.that(failed > (rank == 0 ? 10 : 1), "steps failed");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const Pairs kept{{"collio_subfiles", "3"}, {"collio_subfile_unit", "700"}, {"collio_storage", "posix"}};
  Pairs joined = kept;
  joined.emplace_back("collio_join", "close");
  for (const Pairs& hints : {kept, joined})
    for (const bool stays_full : {false, true}) {
      fills_up(program, hints, 0, stays_full);
      if (program.size > 1) fills_up(program, hints, program.size - 1, stays_full);
    }
  return program.finish();
}
