// Individual file pointers stay coherent when collective and independent calls, seeks and new views are mixed.
#include "check.hpp"

using namespace collio::test;

namespace {

constexpr int block = 5;

void check_position(Program& program, MPI_File file, MPI_Offset expected, const char* what) {
  MPI_Offset found = -1;
  program.good(MPI_File_get_position(file, &found), "MPI_File_get_position");
  program.equal(found, expected, what);
}

/// write_all, write, write_all through one view: 3 x 10 ints that follow one another.
void write_mixed(Program& program, MPI_File file) {
  MPI_Status status;
  for (int step = 0; step < 3; ++step) {
    const auto data = values(program.rank, 10, step * 10);
    if (step == 1)
      program.good(MPI_File_write(file, data.data(), 10, MPI_INT, &status), "MPI_File_write");
    else
      program.good(MPI_File_write_all(file, data.data(), 10, MPI_INT, &status), "MPI_File_write_all");
    program.equal(status_bytes(status), 40, "status bytes");
    check_position(program, file, (step + 1) * 10, "file pointer after a write");
  }
  const auto more = values(program.rank, 4, 30);
  program.good(MPI_File_write_at_all(file, 30, more.data(), 4, MPI_INT, &status), "MPI_File_write_at_all");
  check_position(program, file, 30, "file pointer after write_at_all");
}

void read_mixed(Program& program, MPI_File file) {
  MPI_Status status;
  program.good(MPI_File_seek(file, 0, MPI_SEEK_SET), "MPI_File_seek");
  std::vector<int> first(7), second(9);
  program.good(MPI_File_read(file, first.data(), 7, MPI_INT, &status), "MPI_File_read");
  program.good(MPI_File_read_all(file, second.data(), 9, MPI_INT, &status), "MPI_File_read_all");
  program.that(first == values(program.rank, 7), "data of the independent read");
  program.that(second == values(program.rank, 9, 7), "data of the collective read that follows it");
  check_position(program, file, 16, "file pointer after both");

  program.good(MPI_File_seek(file, -6, MPI_SEEK_CUR), "MPI_File_seek backwards");
  program.good(MPI_File_read_all(file, first.data(), 7, MPI_INT, &status), "MPI_File_read_all");
  program.that(first == values(program.rank, 7, 10), "data after seeking backwards");
  check_position(program, file, 17, "file pointer after seeking backwards and reading");

  std::vector<int> at(4);
  program.good(MPI_File_read_at_all(file, 30, at.data(), 4, MPI_INT, &status), "MPI_File_read_at_all");
  program.that(at == values(program.rank, 4, 30), "data at an explicit offset");
  program.good(MPI_File_read_at(file, 2, at.data(), 4, MPI_INT, &status), "MPI_File_read_at");
  program.that(at == values(program.rank, 4, 2), "data of an independent read at an explicit offset");
  check_position(program, file, 17, "file pointer after explicit offsets");
}

void check_offsets(Program& program, MPI_File file) {
  // Etype 12 is in the rank's third block: block 2 of the rank, 2 ints in.
  MPI_Offset byte = -1;
  program.good(MPI_File_get_byte_offset(file, 12, &byte), "MPI_File_get_byte_offset");
  program.equal(byte, ((2LL * program.size + program.rank) * block + 2) * 4, "byte offset");
}

/// Another view of the same file: all of rank r+1's data, as seen by rank r.
void read_neighbour(Program& program, MPI_File file) {
  const int other = (program.rank + 1) % program.size;
  MPI_Datatype type = dealt_ints(other, program.size, block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  check_position(program, file, 0, "file pointer after set_view");
  std::vector<int> data(34);
  MPI_Status status;
  program.good(MPI_File_read_all(file, data.data(), 34, MPI_INT, &status), "MPI_File_read_all");
  program.that(data == values(other, 34), "the neighbour's data");
}

void check_view(Program& program, MPI_File file) {
  MPI_Offset displacement = -1;
  MPI_Datatype etype, filetype;
  char representation[MPI_MAX_DATAREP_STRING] = "";
  program.good(MPI_File_get_view(file, &displacement, &etype, &filetype, representation), "MPI_File_get_view");
  program.equal(displacement, 0, "displacement of the view");
  program.that(std::string(representation) == "native", "representation of the view");
  int etype_bytes = 0, filetype_bytes = 0;
  MPI_Aint lb = -1, extent = -1;
  MPI_Type_size(etype, &etype_bytes);
  MPI_Type_size(filetype, &filetype_bytes);
  MPI_Type_get_extent(filetype, &lb, &extent);
  program.equal(etype_bytes, 4, "size of the view's etype");
  program.equal(filetype_bytes, 4 * block, "size of the view's filetype");
  program.equal(extent, 4LL * block * program.size, "extent of the view's filetype");
  for (MPI_Datatype* type : {&etype, &filetype}) {
    int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
    MPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(type);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("pointers").c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), "MPI_File_open");
  MPI_Datatype type = dealt_ints(program.rank, program.size, block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  write_mixed(program, file);
  settle(file, MPI_COMM_WORLD);
  read_mixed(program, file);
  check_offsets(program, file);
  check_view(program, file);
  read_neighbour(program, file);
  program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
