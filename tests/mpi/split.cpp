// Split collective calls: begun, and ended later.
#include "background.hpp"

using namespace collio::test;

namespace {

constexpr int parts = 4;

void writes_and_reads(Program& program, const std::string& name) {
  MPI_File file = open_dealt(program, name);
  const auto data = values(program.rank, parts * part);
  auto wide = spread_out(data);
  MPI_Status status;
  MPI_Datatype type = every_second_int();
  program.good(MPI_File_write_all_begin(file, wide.data(), part, type), "MPI_File_write_all_begin");
  MPI_Type_free(&type);
  MPI_Offset position = -1;
  program.good(MPI_File_get_position(file, &position), "MPI_File_get_position");
  program.equal(position, part, "file pointer when the call was begun");
  MPI_Barrier(MPI_COMM_WORLD);
  program.good(MPI_File_write_all_end(file, wide.data(), &status), "MPI_File_write_all_end");
  program.equal(status_bytes(status), part * 4LL, "bytes written");
  program.good(MPI_File_write_at_all_begin(file, part, data.data() + part, part, MPI_INT),
               "MPI_File_write_at_all_begin");
  program.good(MPI_File_write_at_all_end(file, data.data() + part, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all_end");
  program.good(MPI_File_write_at_all(file, 2 * part, data.data() + 2 * part, part, MPI_INT, &status),
               "MPI_File_write_at_all");
  // Independent and point-to-point calls between begin and end.
  program.good(MPI_File_write_at_all_begin(file, 3 * part, data.data() + 3 * part, part / 2, MPI_INT),
               "MPI_File_write_at_all_begin");
  program.good(MPI_File_write_at(file, 3 * part + part / 2, data.data() + 3 * part + part / 2, part / 2,
                                 MPI_INT, &status),
               "MPI_File_write_at");
  const int right = (program.rank + 1) % program.size,
            left = (program.rank + program.size - 1) % program.size;
  int got = -1;
  MPI_Sendrecv(&program.rank, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  program.equal(got, left, "a message between begin and end");
  program.good(MPI_File_write_at_all_end(file, data.data() + 3 * part, &status), "MPI_File_write_at_all_end");
  program.equal(status_bytes(status), part * 2LL, "bytes written");
  check_dealt(program, name, parts, "ints of split writes");

  std::vector<int> found(parts * part, -1);
  program.good(MPI_File_seek(file, 0, MPI_SEEK_SET), "MPI_File_seek");
  program.good(MPI_File_read_all_begin(file, found.data(), part, MPI_INT), "MPI_File_read_all_begin");
  program.good(MPI_File_read_all_end(file, found.data(), &status), "MPI_File_read_all_end");
  program.equal(status_bytes(status), part * 4LL, "bytes read");
  program.good(MPI_File_read_at_all_begin(file, part, found.data() + part, 3 * part, MPI_INT),
               "MPI_File_read_at_all_begin");
  program.good(MPI_File_read_at_all_end(file, found.data() + part, &status), "MPI_File_read_at_all_end");
  program.equal(status_bytes(status), part * 12LL, "bytes read");
  program.that(found == data, "data of split reads");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// One split call at a time and file; two files may each have one.
void one_at_a_time(Program& program, const std::string& name) {
  MPI_File files[2] = {open_dealt(program, name), open_dealt(program, program.temporary("other"))};
  const auto data = values(program.rank, part);
  for (MPI_File file : files)
    program.good(MPI_File_write_all_begin(file, data.data(), part, MPI_INT), "MPI_File_write_all_begin");
  if (collio_is_on()) {  // the standard leaves errors of the program to the library
    program.same_error(MPI_File_write_all_begin(files[0], data.data(), part, MPI_INT),
                       "a second split call on a file must fail");
    program.same_error(MPI_File_write_at_all_end(files[0], data.data(), MPI_STATUS_IGNORE),
                       "the end of another call must fail");
  }
  for (int i : {1, 0})
    program.good(MPI_File_write_all_end(files[i], data.data(), MPI_STATUS_IGNORE), "MPI_File_write_all_end");
  if (collio_is_on())
    program.same_error(MPI_File_write_all_end(files[0], data.data(), MPI_STATUS_IGNORE),
                       "an end without a begin must fail");
  for (MPI_File& file : files) program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  const std::string& name = program.temporary("split");
  writes_and_reads(program, name);
  one_at_a_time(program, name);
  return program.finish();
}
