// Programs that set one plain view after the other: the MPI library is given the first ones only, and all of
// them once it had to do a call itself, or a rank made a call alone. Whatever it has, calls of every kind
// find the same bytes.
#include "check.hpp"

using namespace collio::test;

extern "C" int collio_test_views;

namespace {

constexpr int variables = 6, block = 4, blocks = 3;

/// The view of a variable: every rank has a block of ints in turn.
void set_view(Program& program, MPI_File file, int variable) {
  MPI_Datatype type = dealt_ints(program.rank, program.size, block);
  const MPI_Offset bytes = MPI_Offset{4} * block * blocks * program.size;
  program.good(MPI_File_set_view(file, variable * bytes, MPI_INT, type, "native", MPI_INFO_NULL),
               "MPI_File_set_view");
  MPI_Type_free(&type);
}

[[nodiscard]] std::vector<int> content(const Program& program, int variable) {
  return values(program.rank, block * blocks, variable * 1000);
}

/// Variables in turn, each by a collective call. Views that the library is given meanwhile.
int write_all(Program& program, MPI_File file) {
  const int before = collio_test_views;
  for (int variable = 0; variable < variables; ++variable) {
    set_view(program, file, variable);
    const auto data = content(program, variable);
    MPI_Status status;
    program.good(MPI_File_write_all(file, data.data(), block * blocks, MPI_INT, &status),
                 "MPI_File_write_all");
    program.equal(status_bytes(status), 4 * block * blocks, "status bytes");
  }
  return collio_test_views - before;
}

/// The same variables by calls of a rank alone, from the second block of a view on. Views that the library is
/// given meanwhile.
int read_alone(Program& program, MPI_File file) {
  const int before = collio_test_views;
  for (int variable = 0; variable < variables; ++variable) {
    set_view(program, file, variable);
    const auto data = content(program, variable);
    std::vector<int> found(block * (blocks - 1), -1);
    MPI_Offset byte = -1, position = -1;
    program.good(MPI_File_get_byte_offset(file, block, &byte), "MPI_File_get_byte_offset");
    const MPI_Offset bytes = MPI_Offset{4} * block * blocks * program.size;
    program.equal(byte, variable * bytes + MPI_Offset{4} * block * (program.size + program.rank),
                  "byte of the second block");
    program.good(MPI_File_seek(file, block, MPI_SEEK_SET), "MPI_File_seek");
    program.good(
        MPI_File_read(file, found.data(), static_cast<int>(found.size()), MPI_INT, MPI_STATUS_IGNORE),
        "MPI_File_read");
    program.that(std::equal(found.begin(), found.end(), data.begin() + block), "blocks read alone");
    program.good(MPI_File_get_position(file, &position), "MPI_File_get_position");
    program.equal(position, block * blocks, "position behind the last block");
  }
  return collio_test_views - before;
}

/// The library does calls of a file with atomic mode itself, and thus needs the view.
void use_atomic_mode(Program& program, MPI_File file) {
  set_view(program, file, 1);
  program.good(MPI_File_set_atomicity(file, 1), "MPI_File_set_atomicity");
  const auto data = content(program, 1);
  std::vector<int> found(block * blocks, -1);
  program.good(MPI_File_read_all(file, found.data(), block * blocks, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_all");
  program.that(found == data, "a variable read in atomic mode");
  program.good(MPI_File_set_atomicity(file, 0), "MPI_File_set_atomicity");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  const std::string& path = program.temporary("views");
  MPI_File file = MPI_FILE_NULL;
  program.good(
      MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
      "MPI_File_open");
  const bool may_keep = collio_is_on() && program.size > 1;
  const int first = write_all(program, file);
  program.equal(first, may_keep ? 2 : variables, "views given to the library");
  const int again = write_all(program, file);
  program.equal(again, may_keep ? 0 : variables, "views given to the library in the second round");
  settle(file, MPI_COMM_WORLD);
  const int alone = read_alone(program, file);
  program.equal(alone, may_keep ? variables - 1 : variables, "views given to the library after a call alone");
  use_atomic_mode(program, file);
  const int afterwards = write_all(program, file);
  program.equal(afterwards, variables, "views given to a library that needed one");
  settle(file, MPI_COMM_WORLD);
  const int last = read_alone(program, file);
  program.equal(last, variables, "views given to a library that needed one");
  program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
