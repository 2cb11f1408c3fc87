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

[[nodiscard]] MPI_File open_file(Program& program, const char* name) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary(name).c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                             MPI_INFO_NULL, &file),
               "MPI_File_open");
  return file;
}

/// Collective calls alone: the library is given the first view, and the etype once.
void collective_calls(Program& program, MPI_File file, bool may_keep) {
  program.equal(write_all(program, file), may_keep ? 2 : variables, "views given to the library");
  program.equal(write_all(program, file), may_keep ? 0 : variables, "views of a second round");
  settle(file, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  const bool may_keep = collio_is_on() && program.size > 1;

  MPI_File file = open_file(program, "alone");
  collective_calls(program, file, may_keep);
  program.equal(read_alone(program, file), may_keep ? variables - 1 : variables, "views after a call alone");
  program.equal(write_all(program, file), variables, "views after many calls alone");
  program.good(MPI_File_close(&file), "MPI_File_close");

  file = open_file(program, "atomic");
  collective_calls(program, file, may_keep);
  use_atomic_mode(program, file);
  program.equal(write_all(program, file), variables, "views for a library that needed one");
  settle(file, MPI_COMM_WORLD);
  program.equal(read_alone(program, file), variables, "views for a library that needed one");
  program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
