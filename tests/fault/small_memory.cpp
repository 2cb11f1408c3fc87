// A /dev/shm of 64 MiB, as containers have: calls of ever fewer ranks take two layers all the same, as the
// windows kept from earlier ones make room, and what is left is enough for the MPI library. Run where such a
// /dev/shm is mounted.
#include <sys/statvfs.h>

#include "../mpi/pieces.hpp"

using namespace collio::test;

namespace {

long long free_bytes() {
  struct statvfs about {};
  statvfs("/dev/shm", &about);
  return static_cast<long long>(about.f_bavail) * static_cast<long long>(about.f_frsize);
}

void use(Program& program, MPI_Comm comm, const Reports& reports, const HintList& hints) {
  PieceFile file(program, comm, program.temporary("small"), hints);
  Dice dice(3);
  const Cut cut{.ranks = file.size(), .begin = 0, .bytes = 3 << 20, .unit = 8, .longest = 4000};
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

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 60, ".");
  struct statvfs about {};
  if (statvfs("/dev/shm", &about) != 0 || about.f_blocks * about.f_frsize != 64u << 20)
    return program.skip("left out: /dev/shm has not 64 MiB");
  const Reports reports(program);
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
