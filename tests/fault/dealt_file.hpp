// What the fault programs share: a file whose ints are dealt out to the ranks, and a limit on the size of
// files.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <map>

#include "../mpi/check.hpp"

namespace collio::test {

/// How to open it: mode, ints in a block, and hints by key.
struct DealtFile {
  int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  int block = 64;
  std::map<std::string, std::string> hints;
  int others = 0;  ///< as many shares of the file are nobody's: holes
};

/// Opens the file with a view in which rank r has blocks r, r + size, … Collective.
inline MPI_File open_dealt(Program& program, const std::string& name, const DealtFile& how) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const auto& [key, hint] : how.hints) MPI_Info_set(info, key.c_str(), hint.c_str());
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, name.c_str(), how.mode, info, &file), "MPI_File_open");
  MPI_Info_free(&info);
  MPI_Datatype type = dealt_ints(program.rank, program.size + how.others, how.block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  return file;
}

/// Sets or lifts this process's limit of file sizes. A write of the program's beyond it fails with EFBIG
/// instead of SIGXFSZ; files of collio's own stay below it.
inline void limit_files(rlim_t bytes) {
  signal(SIGXFSZ, bytes == RLIM_INFINITY ? SIG_DFL : SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace collio::test
