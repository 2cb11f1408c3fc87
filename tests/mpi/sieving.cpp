// Independent calls through a view of many small pieces: read and written many at a time, as MPI libraries
// do, and beside other ranks' pieces, which all survive. The program stands in front of pread() and pwrite().
#include <dlfcn.h>
#include <sys/syscall.h>

#include <atomic>

#include "check.hpp"
#include "in_front.hpp"

using namespace collio::test;

namespace {

std::atomic<long long> calls{0};  ///< of the engine's, for data

constexpr int count = 20'000;  ///< ints of a rank

}  // namespace

extern "C" {

ssize_t pread(int fd, void* to, size_t bytes, off_t offset) {
  if (from_engine(__builtin_return_address(0))) ++calls;
  return syscall(SYS_pread64, fd, to, bytes, offset);
}
ssize_t pread64(int fd, void* to, size_t bytes, off64_t offset) {
  if (from_engine(__builtin_return_address(0))) ++calls;
  return syscall(SYS_pread64, fd, to, bytes, offset);
}
ssize_t pwrite(int fd, const void* from, size_t bytes, off_t offset) {
  if (from_engine(__builtin_return_address(0))) ++calls;
  return syscall(SYS_pwrite64, fd, from, bytes, offset);
}
ssize_t pwrite64(int fd, const void* from, size_t bytes, off64_t offset) {
  if (from_engine(__builtin_return_address(0))) ++calls;
  return syscall(SYS_pwrite64, fd, from, bytes, offset);
}

}  // extern "C"

namespace {

/// Calls of the engine's since the last time.
long long calls_made() { return calls.exchange(0); }

struct Place {
  std::string path, holes;
};

/// Ints of all ranks, one after the other; every int of the file is somebody's.
class Dealt {
 public:
  Dealt(Program& program, const Place& place) : program_(program) {
    MPI_Info info;
    MPI_Info_create(&info);
    if (!place.holes.empty()) MPI_Info_set(info, "collio_holes", place.holes.c_str());
    program.good(
        MPI_File_open(MPI_COMM_WORLD, place.path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file_),
        "MPI_File_open");
    MPI_Info_free(&info);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, program.size, MPI_INT, &type);
    MPI_Type_commit(&type);
    program.good(MPI_File_set_view(file_, program.rank * MPI_Offset{sizeof(int)}, MPI_INT, type, "native",
                                   MPI_INFO_NULL),
                 "MPI_File_set_view");
    MPI_Type_free(&type);
  }
  Dealt(const Dealt&) = delete;

  /// This rank's ints of the round from number `first` on, memory with holes between them if `scattered`.
  void write(int round, int first, int ints, bool scattered) {
    const int step = scattered ? 2 : 1;
    std::vector<int> data(static_cast<std::size_t>(ints) * static_cast<std::size_t>(step));
    for (int i = 0; i < ints; ++i)
      data[static_cast<std::size_t>(i * step)] = value(program_.rank + 10 * round, first + i);
    const Memory memory(ints, step);
    MPI_Status status;
    program_.good(MPI_File_write_at(file_, first, data.data(), 1, memory.type, &status), "MPI_File_write_at");
    program_.equal(status_bytes(status), ints * static_cast<long long>(sizeof(int)), "bytes written");
  }

  void read(int round, bool scattered) {
    const int step = scattered ? 2 : 1;
    std::vector<int> data(static_cast<std::size_t>(count * step), -1);
    const Memory memory(count, step);
    MPI_Status status;
    // Beyond the end, too: what there is comes.
    program_.good(MPI_File_read_at(file_, 0, data.data(), 1, memory.type, &status), "MPI_File_read_at");
    program_.equal(status_bytes(status), count * static_cast<long long>(sizeof(int)), "bytes read");
    long long wrong = 0;
    for (int i = 0; i < count; ++i)
      wrong += data[static_cast<std::size_t>(i * step)] != value(program_.rank + 10 * round, i);
    program_.equal(wrong, 0, "ints that are not what this rank wrote");
  }

  void close() { program_.good(MPI_File_close(&file_), "MPI_File_close"); }

 private:
  struct Memory {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    Memory(int ints, int step) {
      MPI_Type_vector(ints, 1, step, MPI_INT, &type);
      MPI_Type_commit(&type);
    }
    Memory(const Memory&) = delete;
    ~Memory() { MPI_Type_free(&type); }
  };

  Program& program_;
  MPI_File file_ = MPI_FILE_NULL;
};

/// A few calls instead of one for each int.
void few_calls(Program& program, const Place& place, bool scattered) {
  Dealt file(program, place);
  const long long most = place.holes == "piecewise" ? count : 50 + count / 1000 * program.size;
  static_cast<void>(calls_made());
  file.write(0, 0, count, scattered);
  const long long writes = calls_made();
  MPI_Barrier(MPI_COMM_WORLD);
  file.read(0, scattered);
  const long long reads = calls_made();
  if (place.holes == "piecewise") {
    program.equal(writes, most, "calls of a write, piece by piece");
    program.equal(reads, most, "calls of a read, piece by piece");
  } else {
    program.that(writes <= most, ("calls of a write: " + std::to_string(writes)).c_str());
    program.that(reads <= most, ("calls of a read: " + std::to_string(reads)).c_str());
  }
  file.close();
}

/// All ranks write beside each other at the same time, in calls of many ints and of one.
void side_by_side(Program& program, const Place& place) {
  Dealt file(program, place);
  for (int round = 1; round <= 5; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const bool one_by_one = program.rank % 2 == round % 2;
    const int ints = one_by_one ? 1 : count / 10;
    for (int first = 0; first < count; first += ints) file.write(round, first, ints, round % 2 == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    file.read(round, false);
  }
  file.close();
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 100, argc > 1 ? argv[1] : nullptr);
  for (const char* holes : {"", "piecewise", "sieve"})
    for (const bool scattered : {false, true})
      if (program.size > 1)  // the library has the views of one rank's files
        few_calls(program, {program.temporary(std::string("few") + holes), holes}, scattered);
  side_by_side(program, {program.temporary("beside"), ""});
  return program.finish();
}
