// Others who write into the holes of a collective write while it is under way: another communicator's
// collective write, an independent call, a program that knows nothing of MPI. All bytes are disjoint, so MPI
// keeps every one of them, but those of the program: whoever has one beside says so by a hint.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <atomic>
#include <cstring>
#include <span>
#include <thread>

#include "check.hpp"

using namespace collio::test;

namespace {

constexpr int rounds = 8;

/// Where a test's file goes, and with which hints it is opened.
struct Place {
  std::string path;
  std::string holes;  ///< of collio_holes; empty: not given
};

/// How the file's ints are dealt to those who write it.
struct Dealt {
  int writers, block;  ///< ints in a block
  int count;           ///< ints of each writer
};

MPI_File open_file(Program& program, MPI_Comm comm, const Place& place) {
  MPI_Info info;
  MPI_Info_create(&info);
  if (!place.holes.empty()) MPI_Info_set(info, "collio_holes", place.holes.c_str());
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(comm, place.path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
               "MPI_File_open");
  MPI_Info_free(&info);
  return file;
}

/// What `writer` of `writers` writes into its part of int number `index` of the file.
int content(int round, int writer, long long index) { return value(writer + 17 * round, index); }

/// Ints of the file that are not what the last round wrote. Rank 0 looks.
void check_file(Program& program, const Place& place, const Dealt& dealt, int round) {
  const auto [writers, block, count_each] = dealt;
  if (program.rank != 0) return;
  std::vector<int> found(static_cast<std::size_t>(writers) * static_cast<std::size_t>(count_each), -1);
  const int fd = ::open(place.path.c_str(), O_RDONLY);
  struct flock lock {};  // clients of NFS show what others wrote once they have a lock
  lock.l_type = F_RDLCK;
  static_cast<void>(::fcntl(fd, F_OFD_SETLKW, &lock));
  const auto bytes = static_cast<ssize_t>(found.size() * sizeof(int));
  program.equal(::pread(fd, found.data(), static_cast<std::size_t>(bytes), 0), bytes, "bytes of the file");
  ::close(fd);
  long long lost = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto at = static_cast<long long>(i);
    const int writer = static_cast<int>(at / block % writers);
    lost += found[i] != content(round, writer, at / block / writers * block + at % block);
  }
  program.equal(lost, 0,
                ("ints lost in round " + std::to_string(round) + " of blocks of " + std::to_string(block) +
                 " ints, " + place.path + " " + place.holes)
                    .c_str());
}

std::vector<int> contents(int round, int writer, int count) {
  std::vector<int> data(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) data[static_cast<std::size_t>(i)] = content(round, writer, i);
  return data;
}

/// Even and odd ranks open the file for themselves and write at the same time.
void two_communicators(Program& program, const Place& place, int block, int count) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, program.rank % 2, 0, &half);
  MPI_File file = open_file(program, half, place);
  MPI_Datatype type = dealt_ints(program.rank, program.size, block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  for (int round = 0; round < rounds; ++round) {
    const auto data = contents(round, program.rank, count);
    MPI_Barrier(MPI_COMM_WORLD);
    program.good(MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_write_at_all");
    MPI_Barrier(MPI_COMM_WORLD);
    check_file(program, place, {program.size, block, count}, round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Type_free(&type);
  program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Comm_free(&half);
}

/// Writes every block that is left to `writer` of `writers`, one by one, as any program may.
void write_blocks(int fd, std::span<const int> data, int writer, int writers, int block) {
  for (std::size_t at = 0; at < data.size(); at += static_cast<std::size_t>(block)) {
    const std::size_t bytes = static_cast<std::size_t>(block) * sizeof(int);
    const auto offset = static_cast<off_t>(
        (at * static_cast<std::size_t>(writers) + static_cast<std::size_t>(writer * block)) * sizeof(int));
    if (::pwrite(fd, data.data() + at, bytes, offset) != static_cast<ssize_t>(bytes)) std::perror("pwrite");
  }
}

/// The ranks' blocks leave every last one to a thread of rank 0 that writes with POSIX calls.
void other_program(Program& program, const Place& place, int block, int count) {
  MPI_File file = open_file(program, MPI_COMM_WORLD, place);
  const int writers = program.size + 1;
  MPI_Datatype type = dealt_ints(program.rank, writers, block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  for (int round = 0; round < rounds; ++round) {
    const auto data = contents(round, program.rank, count), others = contents(round, program.size, count);
    std::thread other;
    MPI_Barrier(MPI_COMM_WORLD);
    if (program.rank == 0)
      other = std::thread([&] {
        const int fd = ::open(place.path.c_str(), O_WRONLY);
        write_blocks(fd, others, program.size, writers, block);
        ::close(fd);
      });
    for (int again = 0; again < 4; ++again)
      program.good(MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                   "MPI_File_write_at_all");
    if (other.joinable()) other.join();
    MPI_Barrier(MPI_COMM_WORLD);
    check_file(program, place, {writers, block, count}, round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Type_free(&type);
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// While a nonblocking collective write is under way every rank writes into its holes by independent calls.
void independent_calls(Program& program, const Place& place, int block, int count) {
  MPI_File file = open_file(program, MPI_COMM_WORLD, place),
           beside = open_file(program, MPI_COMM_SELF, place);
  const int writers = 2 * program.size;
  MPI_Datatype type = dealt_ints(program.rank, writers, block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  const int mine = program.size + program.rank;
  for (int round = 0; round < rounds; ++round) {
    const auto data = contents(round, program.rank, count), others = contents(round, mine, count);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request request;
    program.good(MPI_File_iwrite_at_all(file, 0, data.data(), count, MPI_INT, &request),
                 "MPI_File_iwrite_at_all");
    int done = 0;
    for (int at = 0; at < count; at += block) {
      const MPI_Offset offset =
          (static_cast<MPI_Offset>(at) * writers + static_cast<MPI_Offset>(mine) * block) *
          static_cast<MPI_Offset>(sizeof(int));
      program.good(MPI_File_write_at(beside, offset, others.data() + at, block, MPI_INT, MPI_STATUS_IGNORE),
                   "MPI_File_write_at");
      if (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    if (!done) program.good(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    MPI_Barrier(MPI_COMM_WORLD);
    check_file(program, place, {writers, block, count}, round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Type_free(&type);
  program.good(MPI_File_close(&beside), "MPI_File_close");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Each rank writes a block by a nonblocking call of its own and one by a collective call, through one
/// handle.
void same_handle(Program& program, const Place& place, int block, int blocks) {
  MPI_File file = open_file(program, MPI_COMM_WORLD, place);
  const int writers = 2 * program.size, mine = program.size + program.rank;
  const auto data = contents(0, program.rank, block * blocks), others = contents(0, mine, block * blocks);
  const auto offset = [&](int at, int writer) {
    return (static_cast<MPI_Offset>(at) * writers + writer) * block * static_cast<MPI_Offset>(sizeof(int));
  };
  for (int at = 0; at < blocks; ++at) {
    MPI_Request request;
    program.good(
        MPI_File_iwrite_at(file, offset(at, mine), others.data() + at * block, block, MPI_INT, &request),
        "MPI_File_iwrite_at");
    program.good(MPI_File_write_at_all(file, offset(at, program.rank), data.data() + at * block, block,
                                       MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_write_at_all");
    program.good(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  program.good(MPI_File_close(&file), "MPI_File_close");
  check_file(program, place, {writers, block, block * blocks}, 0);
}

/// While the other ranks write, again and again, the last one opens the file, writes and closes it.
void newcomer(Program& program, const Place& place, int block, int count) {
  const int last = program.size - 1;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, program.rank == last, 0, &half);
  const auto data = contents(0, program.rank, count);
  if (program.rank == last) {
    MPI_Barrier(MPI_COMM_WORLD);
    const int each = count / rounds;
    for (int round = 0; round < rounds; ++round) {
      MPI_File file = open_file(program, half, place);
      for (int at = round * each; at < (round + 1) * each; at += block) {
        const MPI_Offset ints = static_cast<MPI_Offset>(at) * program.size + MPI_Offset{last} * block;
        program.good(MPI_File_write_at(file, ints * static_cast<MPI_Offset>(sizeof(int)), data.data() + at,
                                       block, MPI_INT, MPI_STATUS_IGNORE),
                     "MPI_File_write_at");
      }
      program.good(MPI_File_close(&file), "MPI_File_close");
    }
  } else {
    MPI_File file = open_file(program, half, place);
    MPI_Datatype type = dealt_ints(program.rank, program.size, block);
    program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
    MPI_Barrier(MPI_COMM_WORLD);
    for (int again = 0; again < 4 * rounds; ++again)
      program.good(MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                   "MPI_File_write_at_all");
    MPI_Type_free(&type);
    program.good(MPI_File_close(&file), "MPI_File_close");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  check_file(program, place, {program.size, block, count}, 0);
  MPI_Comm_free(&half);
}

/// There a writer without a lock loses bytes, its own and those written beside it.
bool on_nfs(const char* folder) {
  struct statfs system {};
  return folder && ::statfs(folder, &system) == 0 && system.f_type == NFS_SUPER_MAGIC;
}

}  // namespace

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : nullptr;
  Program program(argc, argv, 100, folder, MPI_THREAD_FUNNELED);
  for (const int block : {1, 64}) {
    const int count = block == 1 ? 16 << 10 : 64 << 10;
    two_communicators(program, {program.temporary("two"), ""}, block, count);
    two_communicators(program, {program.temporary("locked"), "sieve"}, block, count);
    if (!on_nfs(folder)) other_program(program, {program.temporary("other"), "piecewise"}, block, count);
    same_handle(program, {program.temporary("same"), ""}, block, block == 1 ? 400 : 100);
    newcomer(program, {program.temporary("newcomer"), ""}, block, count);
    independent_calls(program, {program.temporary("independent"), ""}, block,
                      block == 1 ? count / 8 : count / 2);
  }
  return program.finish();
}
