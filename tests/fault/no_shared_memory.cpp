// No shared memory for windows: the call goes through aggregators instead, on all ranks, its bytes are right,
// and the report and a warning say why. The reason why there is none is on one rank only: rank 0 may not make
// it, or another may not see it.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cstring>

#include "../mpi/pieces.hpp"

using namespace collio::test;

namespace {

constexpr const char *memory_folder = "/dev/shm", *processes = "/proc";

/// While it lives, one rank has a /dev/shm of its own, of 64 KiB, and any but rank 0 does not see what other
/// processes have open. Needs rights. Collective.
class OtherMemory {
 public:
  OtherMemory(Program& program, int rank) : program_(program), mine_(program.rank == rank) {
    int done = 1;
    if (mine_) {
      done = unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
             mount("collio_test", memory_folder, "tmpfs", 0, "size=64k") == 0 &&
             (rank == 0 || mount("collio_test", processes, "tmpfs", 0, "size=64k") == 0);
      if (!done)
        program.left_out(std::string("no other /dev/shm may be mounted here: ") + std::strerror(errno));
      mine_ = done != 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    there_ = done != 0;
  }
  OtherMemory(const OtherMemory&) = delete;
  ~OtherMemory() {
    if (!mine_) return;
    umount2(memory_folder, MNT_DETACH);
    if (program_.rank != 0) umount2(processes, MNT_DETACH);
  }
  [[nodiscard]] bool there() const { return there_; }

 private:
  Program& program_;
  bool mine_, there_ = false;
};

PieceFile open(Program& program, HintList hints = {}) {
  hints.insert({{"collio_path", "two_layer"}, {"collio_window", "4096"}});
  return {program, MPI_COMM_WORLD, program.temporary("memory"), hints, 3000};
}

void write_and_read(Program& program, PieceFile& file) {
  Dice dice(41);
  for (const int gap_one_in : {0, 3}) {
    file.write(deal_out(dice, {program.size, 1000, 100000, 1, 80, gap_one_in}));
    file.read(deal_out(dice, {program.size, 0, 100000, 1, 80, 0}));
  }
}

/// What the report says of the file, on rank 0.
std::string check_and_close(Program& program, PieceFile& file, const Reports& reports) {
  file.check();
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  return program.rank == 0 ? reports.of(file.path()) : "";
}

void says(Program& program, const std::string& report, const std::string& what) {
  if (program.rank == 0)
    program.that(report.find(what) != std::string::npos, ("'" + what + "' in " + report).c_str());
}

void goes_through_aggregators(Program& program, const std::string& report) {
  says(program, report, "\"path\":\"two_phase\"");
  if (program.rank == 0)
    program.that(report.find("\"path\":\"two_layer\"") == std::string::npos, "no call takes two layers");
  if (program.size == 1) return;
  says(program, report, "one layer: no shared memory between the ranks of a node");
  says(program, report, "\"warnings\":[\"no shared memory between the ranks of a node: ");
}

/// Rank 0 may write no file of more than 1 MiB, and shared memory is a file. SIGXFSZ would end the job.
void memory_cannot_be_made(Program& program, const Reports& reports) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1 << 20, before.rlim_max};
  PieceFile file = open(program);
  if (program.rank == 0) setrlimit(RLIMIT_FSIZE, &small);
  write_and_read(program, file);
  if (program.rank == 0) setrlimit(RLIMIT_FSIZE, &before);
  const std::string report = check_and_close(program, file, reports);
  goes_through_aggregators(program, report);
  if (program.size > 1) says(program, report, "files may have 1048576 bytes (ulimit -f)");
}

void works_again(Program& program, const Reports& reports) {
  PieceFile file = open(program);
  write_and_read(program, file);
  says(program, check_and_close(program, file, reports),
       program.size > 1 ? "\"path\":\"two_layer\"" : "\"path\":\"two_phase\"");
}

/// One rank sees other memory than the rest. The file asks for more than is kept from the ones before.
void memory_is_not_the_same(Program& program, const Reports& reports, int rank) {
  PieceFile file = open(program, {{"collio_window", "4194304"}});
  bool there = false;
  {
    const OtherMemory other(program, rank);
    there = other.there();
    write_and_read(program, file);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const std::string report = check_and_close(program, file, reports);
  if (there) goes_through_aggregators(program, report);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 100, ".");
  if (const std::string why = program.no_room_for_windows(); !why.empty()) return program.skip(why);
  const Reports reports(program);
  memory_cannot_be_made(program, reports);
  works_again(program, reports);
  memory_is_not_the_same(program, reports, program.size - 1);  // it does not see what rank 0 made
  memory_is_not_the_same(program, reports, 0);                 // it has no room
  works_again(program, reports);
  return program.finish();
}
