// The checks that MPI test programs share: a failed check is told at once with its rank and line, and the
// program goes on, so that the other ranks are not left waiting; the exit code says whether all ranks passed.
#pragma once

#include <mpi.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <source_location>
#include <string>
#include <vector>

namespace collio::test {

/// How many times as long everything may take: sanitizers are slow.
inline unsigned slowness() {
  const char* said = std::getenv("COLLIO_TEST_SLOWNESS");
  return said ? static_cast<unsigned>(std::max(1, std::atoi(said))) : 1;
}

/// Bytes that are free in /dev/shm, which the MPI library, collio and the tests' files share.
inline std::int64_t room_in_memory() {
  struct statvfs fs {};
  if (access("/dev/shm", W_OK) != 0 || statvfs("/dev/shm", &fs) != 0) return 0;
  return static_cast<std::int64_t>(fs.f_bavail) * static_cast<std::int64_t>(fs.f_frsize);
}
inline constexpr std::int64_t mebibyte = 1 << 20;
inline constexpr std::int64_t room_for_files = 256 * mebibyte;  ///< with less, files go elsewhere

class Program {
 public:
  /// `folder`: where files go, if not into memory. `threads`: the level of thread support to ask for.
  Program(int& argc, char**& argv, unsigned limit_s = 100, const char* folder = nullptr,
          int threads = MPI_THREAD_SINGLE) {
    alarm(limit_s * slowness());
    std::atexit([] {  // behind what collio does at exit, as that was asked for later
      for (const std::string& name : last_reports()) unlink(name.c_str());
    });
    if (threads == MPI_THREAD_SINGLE)
      MPI_Init(&argc, &argv);
    else
      MPI_Init_thread(&argc, &argv, threads, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&room_, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    long id = getpid();
    MPI_Bcast(&id, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (!folder) folder = room_ >= room_for_files ? "/dev/shm" : ".";
    const std::string own =
        std::to_string(getuid()) + "." + std::to_string(id);  // others may have left files
    base_ = std::filesystem::canonical(folder).string() + "/collio_test." + own + ".";
    tidy_up_when_ended(this);
  }

  /// A file name that all ranks agree on and that no other run uses.
  [[nodiscard]] std::string path(const std::string& name) const { return base_ + name; }

  void that(bool good, const char* what, std::source_location where = std::source_location::current()) {
    if (good) return;
    ++failures_;
    std::fprintf(stderr, "%s:%u: rank %d of %d: %s\n", where.file_name(), where.line(), rank, size, what);
  }

  void equal(long long found, long long expected, const char* what,
             std::source_location where = std::source_location::current()) {
    if (found == expected) return;
    ++failures_;
    std::fprintf(stderr, "%s:%u: rank %d of %d: %s is %lld, expected %lld\n", where.file_name(), where.line(),
                 rank, size, what, found, expected);
  }

  void good(int code, const char* call, std::source_location where = std::source_location::current()) {
    if (code == MPI_SUCCESS) return;
    char message[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, message, &length);
    ++failures_;
    std::fprintf(stderr, "%s:%u: rank %d of %d: %s returned %s\n", where.file_name(), where.line(), rank,
                 size, call, message);
  }

  /// The call failed, and with the same error class on all ranks of the world, which is returned. Collective.
  int same_error(int code, const char* call, std::source_location where = std::source_location::current()) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    that(error_class != MPI_SUCCESS, call, where);
    int extremes[2] = {error_class, -error_class};
    MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    equal(extremes[0], -extremes[1], "greatest error class among the ranks", where);
    return error_class;
  }

  /// Why files of tests are not in memory; empty: they are.
  [[nodiscard]] std::string no_room_for_files() const {
    if (room_ >= room_for_files) return "";
    return "files are in memory where " + std::to_string(room_for_files / mebibyte) +
           " MiB of /dev/shm are free, not " + std::to_string(room_ / mebibyte);
  }
  /// Why the ranks cannot have two layers on so many nodes, for tests of these; empty: they can.
  [[nodiscard]] std::string no_room_for_windows(int nodes = 1) const {
    const std::int64_t wanted = nodes * 40 * mebibyte;
    if (room_ >= wanted) return "";
    return "two layers need up to " + std::to_string(wanted / mebibyte) + " MiB of /dev/shm, " +
           std::to_string(room_ / mebibyte) + " MiB are free";
  }

  /// Why ranks of a node have no memory together, for tests of what it gives; empty: they have.
  [[nodiscard]] std::string no_node_memory() const {
    return room_ > 0 ? "" : "ranks of a node share memory where /dev/shm can be written to";
  }

  /// Of all ranks so far. Collective.
  [[nodiscard]] int failures() const {
    int all = failures_;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
  }

  /// A part of the program cannot be tested here: the program counts as skipped, unless another part fails.
  void left_out(const std::string& why) {
    std::printf("skipped: %s\n", why.c_str());
    part_left_out_ = true;
  }

  /// Ends MPI; the program's exit code: 0, 1 after a failure, 77 if a part was left out on any rank.
  [[nodiscard]] int finish() {
    int counts[2] = {failures_, part_left_out_ ? 1 : 0};
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
      const char* verdict = counts[0] > 0 ? "FAILED" : counts[1] > 0 ? "nothing failed" : "passed";
      std::printf("%s on %d ranks\n", verdict, size);
    }
    MPI_Finalize();
    for (const std::string& name : remove_) {  // some are of one rank alone
      unlink(name.c_str());
      std::error_code none;
      std::filesystem::remove_all(name + ".collio", none);  // of a file that was kept in subfiles
    }
    last_reports() = std::move(remove_);
    tidy_up_when_ended(nullptr);
    if (counts[0] > 0) return 1;
    return counts[1] > 0 ? 77 : 0;
  }

  /// Ends MPI; the exit code of a program that has nothing to check here.
  [[nodiscard]] int skip(const std::string& why) {
    if (rank == 0) left_out(why);
    return finish();
  }

  /// Removes the file at the end of the program.
  const std::string& temporary(const std::string& name) {
    remove_.push_back(path(name));
    return remove_.back();
  }

  int rank = 0;
  int size = 1;

 private:
  /// Names of files that the end of the process may make again. Never destroyed.
  static std::vector<std::string>& last_reports() {
    static auto* const names = new std::vector<std::string>;
    return *names;
  }
  /// A program that hangs, or whose launcher ends it, leaves no files behind either. Null: no more.
  static void tidy_up_when_ended(const Program* program) {
    static const Program* running = nullptr;
    running = program;
    const auto tidy_up = [](int number) {
      if (running)
        for (const std::string& name : running->remove_) unlink(name.c_str());
      std::signal(number, SIG_DFL);
      std::raise(number);
    };
    for (const int number : {SIGALRM, SIGTERM, SIGINT}) std::signal(number, tidy_up);
  }

  int failures_ = 0;
  std::int64_t room_ = room_in_memory();  ///< rank 0's, as the program begins
  bool part_left_out_ = false;
  std::string base_;
  std::vector<std::string> remove_;
};

/// True when this process runs with collio preloaded and switched on.
inline bool collio_is_on() {
  const char* preload = std::getenv("LD_PRELOAD");
  const char* enable = std::getenv("COLLIO_ENABLE");
  return preload != nullptr && std::string(preload).find("collio_mpiio") != std::string::npos &&
         (enable == nullptr || std::string(enable) != "0");
}

inline int status_bytes(const MPI_Status& status) {
  int bytes = -1;
  MPI_Get_elements(&status, MPI_BYTE, &bytes);
  return bytes;
}

/// Element `index` of the data that rank `rank` writes.
inline int value(int rank, long long index) { return static_cast<int>(rank * 100003 + index * 7 + 1); }

inline std::vector<int> values(int rank, int count, long long first = 0) {
  std::vector<int> out(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) out[static_cast<std::size_t>(i)] = value(rank, first + i);
  return out;
}

/// View of ints dealt out in blocks: rank r has blocks r, r + size, … of `block` ints.
inline MPI_Datatype dealt_ints(int rank, int size, int block) {
  MPI_Datatype piece, placed, type;
  MPI_Type_contiguous(block, MPI_INT, &piece);
  const int length = 1;
  const MPI_Aint at = static_cast<MPI_Aint>(rank) * block * static_cast<MPI_Aint>(sizeof(int));
  MPI_Type_create_hindexed(1, &length, &at, piece, &placed);
  MPI_Type_create_resized(placed, 0, static_cast<MPI_Aint>(size) * block * static_cast<MPI_Aint>(sizeof(int)),
                          &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&piece);
  MPI_Type_free(&placed);
  return type;
}

/// What an earlier collective write left is visible to all ranks after this. Collective.
inline void settle(MPI_File file, MPI_Comm comm) {
  MPI_File_sync(file);
  MPI_Barrier(comm);
  MPI_File_sync(file);
}

}  // namespace collio::test
