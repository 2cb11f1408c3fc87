// What an open file takes of a rank's memory: no more where its ranks are on many nodes than where they are
// on few. Counted in bytes of malloc(), without what the MPI library takes for the same file.
#include <malloc.h>

#include "check.hpp"
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int files_before = 20;  // those that are open first have communicators of their own
constexpr int files = 40;
constexpr long long most_bytes = 16 << 10;
#ifdef OPEN_MPI
constexpr long long slack_bytes = 1024;  // what it takes for a file is not the same each time
#else
constexpr long long slack_bytes = 64;
#endif

long long allocated() { return static_cast<long long>(mallinfo2().uordblks); }

/// Bytes that each of `files` takes; `by_collio`: every rank has written a part. Collective over `comm`.
long long bytes_of_a_file(Program& program, MPI_Comm comm, bool by_collio) {
  std::vector<MPI_File> open;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const auto open_some = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const std::string name = program.path("memory." + std::to_string(open.size()));
      // Else the MPI library has 16 MiB, sometimes outside of what is counted.
      MPI_Info info = make_info({{"collio_enable", by_collio ? "enable" : "disable"},
                                 {"collio_path", "two_layer"},
                                 {"cb_buffer_size", "65536"}});
      MPI_File file = MPI_FILE_NULL;
      const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
      program.good(MPI_File_open(comm, name.c_str(), mode, info, &file), "MPI_File_open");
      MPI_Info_free(&info);
      open.push_back(file);
      if (!by_collio) continue;
      const std::vector<int> data(1000, rank);
      program.good(
          MPI_File_write_at_all(file, rank * MPI_Offset{4000}, data.data(), 1000, MPI_INT, MPI_STATUS_IGNORE),
          "MPI_File_write_at_all");
    }
  };
  open_some(files_before);
  const long long before = allocated();
  open_some(files);
  const long long bytes = (allocated() - before) / files;
  for (MPI_File& file : open) program.good(MPI_File_close(&file), "MPI_File_close");
  return bytes;
}

/// Of collio's own. Collective over `comm`.
long long own_bytes_of_a_file(Program& program, MPI_Comm comm) {
  return bytes_of_a_file(program, comm, true) - bytes_of_a_file(program, comm, false);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 100);
  if (const std::string why = program.no_room_for_files(); !why.empty()) return program.skip(why);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  MPI_Comm few = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, program.rank < program.size / 4 ? 0 : MPI_UNDEFINED, 0, &few);
  const long long on_few = few == MPI_COMM_NULL ? 0 : own_bytes_of_a_file(program, few);
  const long long on_all = own_bytes_of_a_file(program, MPI_COMM_WORLD);
  if (few != MPI_COMM_NULL) {
    const std::string what = "bytes of an open file on " + std::to_string(program.size) +
                             " ranks: " + std::to_string(on_all) + ", on a quarter of them " +
                             std::to_string(on_few);
    if (argc > 1) std::printf("%s\n", what.c_str());
    program.that(on_all <= on_few + slack_bytes, what.c_str());
    program.that(on_all > 0 && on_all <= most_bytes, what.c_str());  // 0: collio has none of them
    MPI_Comm_free(&few);
  }
  return program.finish();
}
