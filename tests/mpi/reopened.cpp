// Opens by ranks that may or may not have met: on the world again and again, on its duplicates, on parts of
// it, in other orders, merged from two groups, and by ranks that have moved to other processors meanwhile.
// Each file is written and read, and read by the MPI library's own independent calls. On one node an open by
// ranks that have met on that communicator makes no collective operation on it.
//
//   reopened [--apart]   the last rank reaches no other rank's shared memory
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>

#include "in_front.hpp"
#include "pieces.hpp"

using namespace collio::test;

namespace {

std::atomic<int> collectives{0};
bool is_apart = false;  // this rank

}  // namespace

extern "C" int shm_open(const char* name, int flags, mode_t mode) {
  if (!is_apart || !from_engine(__builtin_return_address(0)))
    return COLLIO_BEHIND(shm_open)(name, flags, mode);
  errno = ENOENT;
  return -1;
}

extern "C" int PMPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm, MPI_Request* request) {
  if (from_engine(__builtin_return_address(0))) ++collectives;
  return COLLIO_BEHIND(PMPI_Iallreduce)(send, receive, count, type, op, comm, request);
}

extern "C" int PMPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
                           MPI_Request* request) {
  if (from_engine(__builtin_return_address(0))) ++collectives;
  return COLLIO_BEHIND(PMPI_Ibcast)(data, count, type, root, comm, request);
}

namespace {

constexpr int count = 64, block = 8;

/// Writes and reads a file on `comm`. The engine's collective operations by messages in its open.
int use_file(Program& program, MPI_Comm comm, const std::string& name) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_File file = MPI_FILE_NULL;
  const int before = collectives;
  program.good(MPI_File_open(comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  const int made = collectives - before;
  MPI_Datatype type = dealt_ints(rank, size, block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  const auto data = values(rank, count, size);
  std::vector<int> found(count, -1);
  program.good(MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE), "write");
  program.good(MPI_File_read_at_all(file, 0, found.data(), count, MPI_INT, MPI_STATUS_IGNORE), "read");
  program.that(found == data, "data read");
  program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Barrier(comm);
  if (rank == 0) {
    MPI_File whole = MPI_FILE_NULL;
    std::vector<int> all(static_cast<std::size_t>(count * size), -1), expected;
    program.good(MPI_File_open(MPI_COMM_SELF, name.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &whole), "open");
    program.good(MPI_File_read_at(whole, 0, all.data(), count * size, MPI_INT, MPI_STATUS_IGNORE), "read");
    program.good(MPI_File_close(&whole), "close");
    for (int i = 0; i < count; i += block)
      for (int other = 0; other < size; ++other)
        for (int k = 0; k < block; ++k) expected.push_back(value(other, size + i + k));
    program.that(all == expected, "the file");
  }
  MPI_Barrier(comm);
  MPI_Type_free(&type);
  return made;
}

/// This process on one of its processors alone, while it lives.
class Moved {
 public:
  explicit Moved(bool moves) {
    if (!moves || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    int first = 0;
    while (!CPU_ISSET(first, &before_)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    moved_ = sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~Moved() {
    if (moved_) sched_setaffinity(0, sizeof before_, &before_);
  }
  Moved(const Moved&) = delete;

 private:
  cpu_set_t before_{};
  bool moved_ = false;
};

void use_parts(Program& program) {
  for (int round = 0; round < 3; ++round) {
    MPI_Comm half = MPI_COMM_NULL, reversed = MPI_COMM_NULL, pair = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, program.rank % 2, program.rank, &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -program.rank, &reversed);
    const std::string own = program.temporary("half." + std::to_string(program.rank % 2));
    use_file(program, half, own);  // two crews at once
    use_file(program, reversed, program.temporary("reversed"));
    use_file(program, half, own);
    if (program.size > 1) {
      MPI_Comm between = MPI_COMM_NULL;
      MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - program.rank % 2, 9, &between);
      MPI_Intercomm_merge(between, program.rank % 2, &pair);
      use_file(program, pair, program.temporary("merged"));
      use_file(program, pair, program.temporary("merged"));
      MPI_Comm_free(&between);
      MPI_Comm_free(&pair);
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&reversed);
    use_file(program, MPI_COMM_SELF, program.temporary("self." + std::to_string(program.rank)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  const bool apart = argc > 1;
  const std::string no_memory = program.no_node_memory();
  if (!no_memory.empty() && program.rank == 0) program.left_out(no_memory);
  const bool one_node =
      !std::getenv("COLLIO_RANKS_PER_NODE") && collio_is_on() && !apart && no_memory.empty();
  is_apart = apart && program.rank == program.size - 1;
  const std::string name = program.temporary("again");
  for (int round = 0; round < 4; ++round) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    use_file(program, copy, program.temporary("copy"));
    const int by_messages = use_file(program, MPI_COMM_WORLD, name);
    if (one_node && program.size > 1 && round == 0)
      program.that(by_messages > 0, "an open by ranks that have not met there makes collective operations");
    if (one_node && round >= 2) program.equal(by_messages, 0, "collective operations of an open");
    use_file(program, copy, program.temporary("copy"));
    MPI_Comm_free(&copy);
  }
  use_parts(program);
  {
    const Moved moved(program.rank == program.size - 1);
    for (int round = 0; round < 2; ++round) use_file(program, MPI_COMM_WORLD, name);
  }
  for (int round = 0; round < 2; ++round) use_file(program, MPI_COMM_WORLD, name);
  return program.finish();
}
