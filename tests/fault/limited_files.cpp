// Every process may write only short files, from before the job's first open on, and SIGXFSZ ends what tries
// more: the job's files stay below the limit, so all calls succeed, and collio, whose memory would not, does
// without. The report says why.
#include <sys/resource.h>

#include "../mpi/pieces.hpp"

using namespace collio::test;

namespace {

void set_limit(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

/// Under a limit that the node's windows are beyond, and for the shorter one its boards, too.
void works_below(Program& program, const Reports& reports, rlim_t limit) {
  set_limit(limit);
  PieceFile file(program, MPI_COMM_WORLD, program.temporary("limited"),
                 {{"collio_path", "two_layer"}, {"collio_window", "65536"}}, 3000);
  Dice dice(7);
  for (const int gap_one_in : {0, 3}) {
    file.write(deal_out(dice, {program.size, 1000, 9000, 1, 80, gap_one_in}));
    file.read(deal_out(dice, {program.size, 0, 9000, 1, 80, 0}));
  }
  set_limit(RLIM_INFINITY);
  file.check();
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank != 0) return;
  const std::string report = reports.of(file.path());
  for (const char* part : {"no shared memory between the ranks of a node", "\"path\":\"two_phase\""})
    program.that(report.find(part) != std::string::npos, (part + (" in " + report)).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 60, ".");
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const Reports reports(program);
  for (const rlim_t limit : {rlim_t{16} << 10, rlim_t{1} << 20}) works_below(program, reports, limit);
  return program.finish();
}
