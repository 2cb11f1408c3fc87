// Ranks with nothing to do, calls where nobody has anything to do, and reads across the end of the file.
#include "check.hpp"

using namespace collio::test;

namespace {

void nothing_at_all(Program& program, MPI_File file) {
  MPI_Status status;
  int untouched = 77;
  program.good(MPI_File_write_all(file, nullptr, 0, MPI_INT, &status), "MPI_File_write_all of nothing");
  program.good(MPI_File_read_all(file, nullptr, 0, MPI_INT, &status), "MPI_File_read_all of nothing");
  program.good(MPI_File_read_all(file, &untouched, 1, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_all of an empty file");
  program.that(untouched == 77 || untouched == 0, "an empty file gives nothing");
  MPI_Offset size = -1;
  program.good(MPI_File_get_size(file, &size), "MPI_File_get_size");
  program.equal(size, 0, "size after writing nothing");
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Only ranks of one parity have data; the others come with zero counts or types of no size.
void some_ranks(Program& program, MPI_File file, int parity) {
  const bool active = program.rank % 2 == parity;
  MPI_Datatype nothing = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  const auto data = values(program.rank, 20);
  MPI_Status status;
  MPI_Datatype type = active ? MPI_INT : nothing;
  program.good(MPI_File_write_at_all(file, 20LL * program.rank, data.data(), active ? 20 : 3, type, &status),
               "MPI_File_write_at_all");
  if (active) program.equal(status_bytes(status), 80, "status bytes of a rank with data");
  MPI_Type_free(&nothing);
  settle(file, MPI_COMM_WORLD);
}

void check_blocks(Program& program, MPI_File file) {
  const int other = program.size - 1 - program.rank;
  std::vector<int> found(20, -1);
  MPI_Status status;
  program.good(MPI_File_read_at_all(file, 20LL * other, found.data(), 20, MPI_INT, &status),
               "MPI_File_read_at_all");
  program.that(found == values(other, 20), "blocks written by some ranks at a time");
}

/// The last rank reads across the end, with guards behind the buffer.
void across_the_end(Program& program, MPI_File file) {
  const bool last = program.rank == program.size - 1;
  const int wanted = last ? 30 : 20;
  std::vector<int> found(40, -3);
  MPI_Status status;
  program.good(MPI_File_read_at_all(file, 20LL * program.rank, found.data(), wanted, MPI_INT, &status),
               "MPI_File_read_at_all");
  for (int i = 0; i < 20; ++i)
    program.equal(found[static_cast<std::size_t>(i)], value(program.rank, i), "data before the end");
  for (int i = wanted; i < 40; ++i)
    program.equal(found[static_cast<std::size_t>(i)], -3, "memory behind the buffer");
  // MPI libraries' own I/O says 120 here.
  if (collio_is_on()) program.equal(status_bytes(status), 80, "bytes before the end of the file");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("empty").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  program.good(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "MPI_File_set_view");
  nothing_at_all(program, file);
  some_ranks(program, file, 1);
  some_ranks(program, file, 0);
  check_blocks(program, file);
  across_the_end(program, file);
  program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
