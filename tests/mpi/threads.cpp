// Several threads, each with a file of its own, whose data calls are under way at the same time
// (MPI_THREAD_MULTIPLE).
//
// Files are opened, given views and closed by one thread: those calls are the MPI library's own, and MPICH
// holds a lock over all its files in them while it waits for other ranks, so that threads hang without collio
// too.
#include <thread>

#include "check.hpp"

using namespace collio::test;

namespace {

constexpr int threads = 4;

/// A file with a view of ints, dealt in blocks; what its thread found wrong.
struct ThreadFile {
  MPI_File file = MPI_FILE_NULL;
  int wrong = 0;
};

ThreadFile open_file(Program& program, int thread) {
  ThreadFile own;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  program.good(MPI_File_open(comm, program.temporary("thread." + std::to_string(thread)).c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &own.file),
               "MPI_File_open");
  MPI_Comm_free(&comm);
  MPI_Datatype type = dealt_ints(program.rank, program.size, 1 + thread);
  program.good(MPI_File_set_view(own.file, thread, MPI_INT, type, "native", MPI_INFO_NULL),
               "MPI_File_set_view");
  MPI_Type_free(&type);
  return own;
}

/// Writes and reads again, further on each time, amounts that differ by thread and step.
void write_and_read(ThreadFile& own, int rank, int thread) {
  MPI_Offset at = 0;
  for (int step = 0; step < 25; ++step) {
    const int count = 1 + 700 * ((thread + step) % 5);
    const std::vector<int> data = values(rank + thread, count, step);
    std::vector<int> found(data.size(), -1);
    own.wrong +=
        MPI_File_write_at_all(own.file, at, data.data(), count, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    own.wrong +=
        MPI_File_read_at_all(own.file, at, found.data(), count, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    own.wrong += found != data;
    at += count;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 100, nullptr, MPI_THREAD_MULTIPLE);
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  program.equal(provided, MPI_THREAD_MULTIPLE, "level of thread support");
  if (provided != MPI_THREAD_MULTIPLE) return program.finish();
  std::vector<ThreadFile> files;
  for (int t = 0; t < threads; ++t) files.push_back(open_file(program, t));
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back(write_and_read, std::ref(files[static_cast<std::size_t>(t)]), program.rank, t);
  for (std::thread& one : all) one.join();
  for (ThreadFile& own : files) {
    program.equal(own.wrong, 0, "what a thread found wrong");
    program.good(MPI_File_close(&own.file), "MPI_File_close");
  }
  return program.finish();
}
