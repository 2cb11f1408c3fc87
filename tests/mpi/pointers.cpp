// Individual file pointers stay coherent when collective and independent calls, seeks and new views are
// mixed.
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
  program.good(MPI_File_get_view(file, &displacement, &etype, &filetype, representation),
               "MPI_File_get_view");
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

/// A view of pieces, and one of the whole file, in turns: what the library was not told of again is as if it
/// had been.
void alternate_views(Program& program, MPI_File file) {
  const std::int64_t all = 20LL * block * program.size;
  MPI_Datatype plain = dealt_ints(program.rank, program.size, block), type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, plain, &type);  // nested: collio keeps the view to itself
  MPI_Type_commit(&type);
  MPI_Type_free(&plain);
  for (int turn = 0; turn < 6; ++turn) {
    MPI_Status status;
    const auto data = values(program.rank, 20 * block, turn);
    program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
    check_position(program, file, 0, "file pointer after a view of pieces");
    program.good(MPI_File_write_all(file, data.data(), 20 * block, MPI_INT, &status), "MPI_File_write_all");
    settle(file, MPI_COMM_WORLD);
    // Another etype now and then, which the library has to be told of.
    const MPI_Datatype etype = turn == 3 ? MPI_DOUBLE : MPI_INT;
    const std::int64_t per_etype = turn == 3 ? 2 : 1;
    program.good(MPI_File_set_view(file, 0, etype, etype, "native", MPI_INFO_NULL), "MPI_File_set_view");
    check_position(program, file, 0, "file pointer after a view of all bytes");
    MPI_Offset shared = -1;
    program.good(MPI_File_get_position_shared(file, &shared), "MPI_File_get_position_shared");
    program.equal(shared, 0, "shared file pointer after a view of all bytes");
    std::vector<int> mine(2 * block);  // two etypes' worth at least
    const int tile = program.size * block;
    program.good(MPI_File_read_at(file, 2 * tile / per_etype, mine.data(), 2 * block, MPI_INT, &status),
                 "MPI_File_read_at");
    mine.resize(block);
    program.that(mine == values(0, block, turn + 2 * block),
                 "an independent read through the view of all bytes");
    program.good(MPI_File_seek(file, 0, MPI_SEEK_END), "MPI_File_seek to the end");
    check_position(program, file, all / per_etype, "the end in the view of all bytes");
    if (turn % 3 > 0) continue;
    MPI_Barrier(MPI_COMM_WORLD);  // all have looked at the shared pointer
    std::vector<int> ordered(2);
    program.good(MPI_File_read_ordered(file, ordered.data(), 2, MPI_INT, &status), "MPI_File_read_ordered");
    program.equal(status_bytes(status), 8, "bytes of an ordered read");
  }
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("pointers").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  MPI_Datatype type = dealt_ints(program.rank, program.size, block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  write_mixed(program, file);
  settle(file, MPI_COMM_WORLD);
  read_mixed(program, file);
  check_offsets(program, file);
  check_view(program, file);
  read_neighbour(program, file);
  alternate_views(program, file);
  program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
