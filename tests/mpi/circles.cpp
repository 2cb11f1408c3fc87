// Patterns in which ranks with bounded buffers can come to wait for each other in a circle, if messages of a
// later round may hold what a message of an earlier round needs. Small collective buffers make many rounds.
#include "check.hpp"

using namespace collio::test;

namespace {

constexpr int pieces = 20000, piece_bytes = 32;

MPI_File open_with_small_buffers(Program& program, const std::string& path, const char* aggregators) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", aggregators);
  MPI_Info_set(info, "cb_buffer_size", "65536");
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
               "MPI_File_open");
  MPI_Info_free(&info);
  return file;
}

MPI_Datatype every_other(int count, int bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, bytes, 2 * bytes, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

/// Two ranks have all the bytes, interleaved, and begin at different aggregators.
void two_writers(Program& program, MPI_File file) {
  MPI_Datatype view = every_other(pieces, piece_bytes);
  const int first = program.size > 2 ? 1 : 0;
  const bool writes = program.rank == first || program.rank == first + 1;
  MPI_File_set_view(file, (program.rank == first + 1) * piece_bytes, MPI_BYTE, view, "native", MPI_INFO_NULL);
  const std::vector<char> data(static_cast<std::size_t>(pieces) * piece_bytes,
                               static_cast<char>('a' + program.rank - first));
  MPI_Status status;
  program.good(
      MPI_File_write_at_all(file, 0, data.data(), writes ? pieces * piece_bytes : 0, MPI_BYTE, &status),
      "MPI_File_write_at_all");
  program.equal(status_bytes(status), writes ? pieces * piece_bytes : 0, "status bytes of a writer");
  MPI_Type_free(&view);
}

/// Every rank reads the first writer's bytes into memory with holes.
void all_read_the_same(Program& program, MPI_File file) {
  MPI_Datatype view = every_other(pieces, piece_bytes), memory = every_other(pieces * piece_bytes / 8, 8);
  MPI_File_set_view(file, 0, MPI_BYTE, view, "native", MPI_INFO_NULL);
  std::vector<char> found(2 * static_cast<std::size_t>(pieces) * piece_bytes, '-');
  MPI_Status status;
  program.good(MPI_File_read_at_all(file, 0, found.data(), 1, memory, &status), "MPI_File_read_at_all");
  program.equal(status_bytes(status), pieces * piece_bytes, "status bytes of a reader");
  long long wrong = 0;
  for (std::size_t i = 0; i + 8 < found.size(); ++i) wrong += found[i] != (i % 16 < 8 ? 'a' : '-');
  program.equal(wrong, 0, "wrong bytes");
  MPI_Type_free(&view);
  MPI_Type_free(&memory);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  for (const char* aggregators : {"1", "2", "8"}) {
    MPI_File file = open_with_small_buffers(program, program.temporary("circles"), aggregators);
    two_writers(program, file);
    settle(file, MPI_COMM_WORLD);
    all_read_the_same(program, file);
    MPI_File_close(&file);
  }
  return program.finish();
}
