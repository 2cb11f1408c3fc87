// A /dev/shm of 64 MiB, as containers have: calls of ever fewer ranks take two layers all the same, as the
// windows kept from earlier ones make room, and what is left is enough for the MPI library. When others have
// filled it, a call that needs more of it goes through aggregators. Run where such a /dev/shm is mounted.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "../mpi/pieces.hpp"

using namespace collio::test;

namespace {

bool older_kernel = false;

/// As Linux before 5.14. A filter of the kernel's, as MPICH's UCX makes calls of madvise() its own.
void refuse_to_make_pages() {
  constexpr std::uint32_t advice = offsetof(seccomp_data, args[2]);
  constexpr std::uint32_t refused = SECCOMP_RET_ERRNO | EINVAL;
  std::array<sock_filter, 7> steps{
      {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_madvise, 0, 3), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, advice),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_POPULATE_READ, 2, 0),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_POPULATE_WRITE, 1, 0),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_K, refused)}};
  const sock_fprog filter{static_cast<unsigned short>(steps.size()), steps.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::perror("seccomp");
    std::exit(1);
  }
}

long long free_bytes() {
  struct statvfs about {};
  statvfs("/dev/shm", &about);
  return static_cast<long long>(about.f_bavail) * static_cast<long long>(about.f_frsize);
}

void use(Program& program, MPI_Comm comm, const Reports& reports, const HintList& hints,
         std::int64_t bytes = 3 << 20) {
  PieceFile file(program, comm, program.temporary("small"), hints);
  Dice dice(3);
  const Cut cut{.ranks = file.size(), .begin = 0, .bytes = bytes, .unit = 8, .longest = 4000};
  file.write(deal_out(dice, cut));
  program.that(free_bytes() >= 16 << 20,
               ("bytes that are free in /dev/shm: " + std::to_string(free_bytes())).c_str());
  file.read(deal_out(dice, cut));
  file.check();
  file.close();
  MPI_Barrier(comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0 && collio_is_on())
    program.that(reports.of(file.path()).find("\"path\":\"two_layer\"") != std::string::npos,
                 reports.of(file.path()).c_str());
}

/// While it lives, /dev/shm has a few free bytes only. Collective.
class Filled {
 public:
  Filled(Program& program, long long left) : mine_(program.rank == 0) {
    if (mine_) {
      const int fd = ::open(name, O_CREAT | O_RDWR, 0600);
      program.that(fd >= 0 && ::posix_fallocate(fd, 0, free_bytes() - left) == 0, "/dev/shm is filled");
      ::close(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Filled(const Filled&) = delete;
  ~Filled() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (mine_) ::unlink(name);
  }

 private:
  static constexpr const char* name = "/dev/shm/fills.others";
  bool mine_;
};

/// The first call takes two layers in little memory. There is none for the second, but what is kept from
/// another file, or was reserved by the first one.
void memory_is_taken(Program& program, const Reports& reports, bool kept) {
  if (kept)
    use(program, MPI_COMM_WORLD, reports, {{"collio_path", "two_layer"}, {"collio_window", "8388608"}},
        14 << 20);
  PieceFile file(program, MPI_COMM_WORLD, program.temporary("taken"),
                 {{"collio_path", "two_layer"}, {"cb_buffer_size", "4194304"}});
  Dice dice(4);
  file.write(deal_out(dice, {.ranks = file.size(), .bytes = 5000}));
  {
    const Filled filled(program, 256 << 10);
    file.write(deal_out(dice, {.ranks = file.size(), .bytes = 3 << 20, .unit = 8, .longest = 4000}));
  }
  file.check();
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank != 0 || !collio_is_on()) return;
  const std::string report = reports.of(file.path());
  program.that(report.find("\"path\":\"two_layer\"") != std::string::npos, report.c_str());
  for (const char* part : {"\"path\":\"two_phase\"", "of which collio takes half at most"})
    program.that((report.find(part) == std::string::npos) == (kept || older_kernel),
                 (part + (" in " + report)).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  older_kernel = argc > 1 && std::string_view(argv[1]) == "older_kernel";
  if (older_kernel) refuse_to_make_pages();
  Program program(argc, argv, 60, ".");
  struct statvfs about {};
  if (statvfs("/dev/shm", &about) != 0 || about.f_blocks * about.f_frsize != 64u << 20)
    return program.skip("left out: /dev/shm has not 64 MiB");
  const Reports reports(program);
  for (const bool kept : {false, true}) memory_is_taken(program, reports, kept);
  for (const char* window : {"8388608", "1048576"})
    for (int ranks = program.size; ranks > 1; --ranks) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, program.rank < ranks ? 0 : MPI_UNDEFINED, program.rank, &comm);
      if (comm == MPI_COMM_NULL) continue;
      use(program, comm, reports, {{"collio_path", "two_layer"}, {"collio_window", window}});
      MPI_Comm_free(&comm);
    }
  return program.finish();
}
