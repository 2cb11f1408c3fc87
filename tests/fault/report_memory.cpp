// A rank that has no memory for the report's pictures: the file closes well on all ranks, and its line has no
// pictures. The program's malloc refuses the engine what is long.
#include <cerrno>
#include <cstdlib>

#include "../mpi/open_with.hpp"
#include "../mpi/pieces.hpp"
#include "engine_code.hpp"

extern "C" void* __libc_malloc(std::size_t bytes);

namespace {

struct {
  collio::test::EngineCode code;
  bool refuses = false;
  int refused = 0;
} engine;

constexpr std::size_t long_bytes = 100'000;

}  // namespace

extern "C" void* malloc(std::size_t bytes) {
  if (engine.refuses && bytes >= long_bytes && engine.code.has(__builtin_return_address(0))) {
    ++engine.refused;
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(bytes);
}

namespace {

using namespace collio::test;

/// Whether the report has pictures of a file, in whose close `lacking` has no memory; -1: all have. On rank
/// 0.
bool has_pictures(Program& program, const Reports& reports, int lacking) {
  const std::string path = program.temporary("data" + std::to_string(lacking));
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({{"collio_path", "two_phase"}}, path, MPI_MODE_CREATE | MPI_MODE_RDWR, &file),
               "MPI_File_open");
  const auto data = values(program.rank, 1000);
  program.good(
      MPI_File_write_at_all(file, program.rank * 4000, data.data(), 1000, MPI_INT, MPI_STATUS_IGNORE),
      "MPI_File_write_at_all");
  engine.refused = 0;
  engine.refuses = program.rank == lacking;
  const int code = MPI_File_close(&file);
  engine.refuses = false;
  program.good(code, ("the close without memory on rank " + std::to_string(lacking)).c_str());
  if (program.rank == lacking) program.that(engine.refused > 0, "memory was refused");
  const std::string line = reports.of(path);
  if (program.rank == 0) program.that(!line.empty(), "the report has the file");
  return line.find("\"pictures\":{") != std::string::npos;
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 50);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  engine.code = find_engine();
  program.that(engine.code.begin != 0, "the engine is there");
  const Reports reports(program);
  for (int lacking = 0; lacking < program.size; ++lacking)
    program.that(!has_pictures(program, reports, lacking), "no pictures where a rank has no memory");
  const bool there = has_pictures(program, reports, -1);
  if (program.rank == 0) program.that(there, "pictures where all ranks have memory");
  return program.finish();
}
