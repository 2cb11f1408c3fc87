// Nonblocking calls of several threads, each on a file of its own, where collio gets no threads although
// MPI_THREAD_MULTIPLE allows them: the calls run on fibers, which any of the program's threads may move on.
// The program stands in front of pthread_create and refuses.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "check.hpp"

using namespace collio::test;

namespace {

constexpr int threads = 4;
std::atomic<bool> refuses{false};
std::atomic<int> refused{0};

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                              void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (!refuses) return real(thread, attributes, body, argument);
  ++refused;
  return EAGAIN;
}

namespace {

struct ThreadFile {
  MPI_File file = MPI_FILE_NULL;
  std::atomic<int> wrong{0};
};

void open_file(Program& program, ThreadFile& own, int thread) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  program.good(MPI_File_open(comm, program.temporary("refused." + std::to_string(thread)).c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &own.file),
               "MPI_File_open");
  MPI_Comm_free(&comm);
  MPI_Datatype type = dealt_ints(program.rank, program.size, 1 + thread);
  program.good(MPI_File_set_view(own.file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
}

/// Waits in one of three ways.
void complete(std::vector<MPI_Request>& requests, int way) {
  const int count = static_cast<int>(requests.size());
  if (way == 0) {
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  } else if (way == 1) {
    for (int done = 0; !done;) MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE);
  } else {
    for (MPI_Request& request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void write_and_read(ThreadFile& own, int rank, int thread) {
  MPI_Offset at = 0;
  for (int step = 0; step < 20; ++step) {
    const int count = 1 + 500 * ((thread + step) % 5);
    const std::vector<int> data = values(rank + thread, 2 * count, step);
    std::vector<int> found(data.size(), -1);
    std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
    own.wrong +=
        MPI_File_iwrite_at_all(own.file, at, data.data(), count, MPI_INT, &requests[0]) != MPI_SUCCESS;
    own.wrong += MPI_File_iwrite_at_all(own.file, at + count, data.data() + count, count, MPI_INT,
                                        &requests[1]) != MPI_SUCCESS;
    complete(requests, (step + thread) % 3);
    own.wrong +=
        MPI_File_iread_at_all(own.file, at, found.data(), 2 * count, MPI_INT, &requests[0]) != MPI_SUCCESS;
    complete(requests, (step + thread + 1) % 3);
    own.wrong += found != data;
    at += 2 * count;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 100, nullptr, MPI_THREAD_MULTIPLE);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided != MPI_THREAD_MULTIPLE) return program.skip("the MPI library has no MPI_THREAD_MULTIPLE");
  std::vector<ThreadFile> files(threads);
  for (int t = 0; t < threads; ++t) open_file(program, files[static_cast<std::size_t>(t)], t);
  std::atomic<bool> begins{false};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      begins.wait(false);
      write_and_read(files[static_cast<std::size_t>(t)], program.rank, t);
    });
  refuses = true;
  begins = true;
  begins.notify_all();
  for (std::thread& one : all) one.join();
  refuses = false;
  program.that(refused > 0, "collio asked for threads and got none");
  for (ThreadFile& own : files) {
    program.equal(own.wrong, 0, "what a thread found wrong");
    program.good(MPI_File_close(&own.file), "MPI_File_close");
  }
  return program.finish();
}
