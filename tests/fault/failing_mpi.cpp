// MPI fails in calls that collio makes for itself. Without communicators of its own collio leaves the file to
// the MPI library, on all ranks, with a text. In the middle of an exchange (--send) the job ends with a text.
// The program stands in front of what collio calls.
#include <cstring>

#include "../mpi/in_front.hpp"
#include "../mpi/pieces.hpp"
#include "overheard.hpp"

using namespace collio::test;

namespace {

bool fails_here = false;  ///< on this rank
bool collio_opens = false;

int failed(MPI_Comm* made) {
  *made = MPI_COMM_NULL;
  return MPI_ERR_OTHER;
}

}  // namespace

extern "C" {
/// Other ranks' calls come back: it fails late.
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* copy, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  const int code = COLLIO_BEHIND(PMPI_Comm_dup)(comm, copy);
  return fails_here ? failed(copy) : code;
}
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  const int code = COLLIO_BEHIND(PMPI_Comm_dup)(comm, copy);
  return fails_here && collio_opens && from_engine(__builtin_return_address(0)) ? failed(copy) : code;
}
int PMPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return COLLIO_BEHIND(PMPI_Issend)(data, fails_here ? -1 : count, type, to, tag, comm, request);
}
}

namespace {

void write_and_read(Program& program, const std::string& path, const HintList& hints) {
  PieceFile file(program, MPI_COMM_WORLD, path, hints);
  Dice dice(5);
  const Cut cut{.ranks = program.size, .begin = 100, .bytes = 200000, .unit = 1, .longest = 90};
  file.write(deal_out(dice, cut));
  file.read(deal_out(dice, cut));
  file.check();
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
}

/// The last rank gets no communicator.
void library_keeps_the_file(Program& program, const Reports& reports) {
  const std::string path = program.temporary("left");
  Overheard overheard(program);
  fails_here = program.rank == program.size - 1;
  collio_opens = program.size == 1;
  write_and_read(program, path, {});
  fails_here = false;
  int told = 0;
  for (const std::string& line : overheard.lines())
    told += line.find("left to the MPI library: " + path + ": MPI gave no communicator") != std::string::npos;
  if (program.rank != 0) return;
  program.equal(told, 1, "texts about the file that is left to the MPI library");
  program.that(reports.of(path).empty(), "collio has not taken the file over");
}

void works_again(Program& program, const Reports& reports) {
  const std::string path = program.temporary("again");
  write_and_read(program, path, {});
  if (program.rank == 0) program.that(!reports.of(path).empty(), "collio has taken the next file over");
}

/// Does not come back, where there are messages.
void ends_in_the_middle(Program& program) {
  const std::string path = program.temporary("middle");
  PieceFile file(
      program, MPI_COMM_WORLD, path,
      {{"collio_path", "two_phase"}, {"cb_nodes", std::to_string(program.size)}, {"cb_config_list", "*:*"}});
  if (program.rank == 0) unlink(path.c_str());  // nobody is left to do so
  Dice dice(6);
  fails_here = program.rank == 0;
  file.write(deal_out(dice, {.ranks = program.size, .begin = 0, .bytes = 200000, .unit = 1, .longest = 90}));
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 60);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (argc > 1 && std::strcmp(argv[1], "--send") == 0) {
    ends_in_the_middle(program);
    return program.finish();
  }
  const Reports reports(program);
  library_keeps_the_file(program, reports);
  works_again(program, reports);
  return program.finish();
}
