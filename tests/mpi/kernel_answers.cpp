// What a kernel may answer elsewhere: a mask of processors is longer than 1024 bits, pages have 64 KiB, it
// makes no pages on request, and a profiler's signals interrupt the reservation of shared memory. The program
// stands in front of the calls.
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr std::size_t kernels_mask = 256;  ///< bytes
constexpr off_t soon_enough = 300 << 10;   ///< bytes that are reserved between two signals
constexpr std::size_t page = 64 << 10;
bool answers_otherwise = false;
int interruptions = 0, populations = 0, refusals = 0;

}  // namespace

/// Processors 1500 to 1505.
extern "C" int sched_getaffinity(pid_t pid, std::size_t bytes, cpu_set_t* mask) noexcept {
  using Get = int (*)(pid_t, std::size_t, cpu_set_t*);
  static const auto real = reinterpret_cast<Get>(dlsym(RTLD_NEXT, "sched_getaffinity"));
  if (!answers_otherwise) return real(pid, bytes, mask);
  if (bytes < kernels_mask) return errno = EINVAL, -1;
  std::memset(mask, 0, bytes);
  for (std::size_t at = 1500; at < 1506; ++at) CPU_SET_S(at, bytes, mask);
  return 0;
}

extern "C" int posix_fallocate(int fd, off_t offset, off_t bytes) {
  using Reserve = int (*)(int, off_t, off_t);
  static const auto real = reinterpret_cast<Reserve>(dlsym(RTLD_NEXT, "posix_fallocate"));
  if (!answers_otherwise || bytes <= soon_enough) return real(fd, offset, bytes);
  ++interruptions;
  return EINTR;
}

extern "C" long sysconf(int name) noexcept {
  static const auto real = reinterpret_cast<long (*)(int)>(dlsym(RTLD_NEXT, "sysconf"));
  return answers_otherwise && name == _SC_PAGESIZE ? static_cast<long>(page) : real(name);
}

extern "C" int madvise(void* at, std::size_t bytes, int advice) noexcept {
  using Advise = int (*)(void*, std::size_t, int);
  static const auto real = reinterpret_cast<Advise>(dlsym(RTLD_NEXT, "madvise"));
  const bool populates = advice == MADV_POPULATE_READ || advice == MADV_POPULATE_WRITE;
  if (!answers_otherwise || !populates) return real(at, bytes, advice);
  if (bytes == 0) return errno = EINVAL, -1;  // not known: all are reserved
  const bool aligned = reinterpret_cast<std::uintptr_t>(at) % page == 0;
  ++(aligned ? populations : refusals);
  return aligned ? 0 : (errno = EINVAL, -1);
}

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (const std::string why = program.no_room_for_windows(); !why.empty()) return program.skip(why);
  const Reports reports(program);
  answers_otherwise = true;
  Dice dice(8);
  PieceFile file(program, MPI_COMM_WORLD, program.temporary("kernel"),
                 {{"collio_path", "two_layer"}, {"collio_window", "20480"}});
  for (const int bytes : {30000, 500000}) file.write(deal_out(dice, {program.size, 0, bytes, 1, 80, 0}));
  file.read(deal_out(dice, {program.size, 0, 500000, 1, 80, 0}));
  file.check();
  file.close();
  answers_otherwise = false;
  program.equal(refusals, 0, "pages of windows that were not mapped");
  program.that(populations > 0, "pages of windows are mapped");
  if (program.rank == 0) {
    const std::string report = reports.of(file.path());
    program.that(report.find("\"first_node\":{\"cores\":6,") != std::string::npos,
                 ("6 cores in " + report).c_str());
    program.that(report.find("\"path\":\"two_layer\"") != std::string::npos,
                 ("two layers in " + report).c_str());
    program.that(interruptions > 0, "reservations were interrupted");
  }
  return program.finish();
}
