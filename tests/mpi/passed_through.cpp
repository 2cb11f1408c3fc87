// Calls of all kinds among each other: nonblocking and split collectives, and what collio leaves to the MPI
// library, which is shared file pointers, nonblocking independent calls, other data representations.
#include "check.hpp"

using namespace collio::test;

namespace {

void view_of_mine(Program& program, MPI_File file) {
  MPI_Datatype type = dealt_ints(program.rank, program.size, 4);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
}

/// write_all, iwrite_all, split write, iwrite: 10 ints each, one behind the other.
void mixed_writes(Program& program, MPI_File file) {
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto data = values(program.rank, 40);
  program.good(MPI_File_write_all(file, data.data(), 10, MPI_INT, &status), "MPI_File_write_all");
  program.good(MPI_File_iwrite_all(file, data.data() + 10, 10, MPI_INT, &request), "MPI_File_iwrite_all");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  program.good(MPI_File_write_all_begin(file, data.data() + 20, 10, MPI_INT), "MPI_File_write_all_begin");
  program.good(MPI_File_write_all_end(file, data.data() + 20, &status), "MPI_File_write_all_end");
  program.good(MPI_File_iwrite(file, data.data() + 30, 10, MPI_INT, &request), "MPI_File_iwrite");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  MPI_Offset position = -1;
  program.good(MPI_File_get_position(file, &position), "MPI_File_get_position");
  program.equal(position, 40, "file pointer after four kinds of writes");
  settle(file, MPI_COMM_WORLD);
}

void mixed_reads(Program& program, MPI_File file) {
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<int> found(40, -1);
  program.good(MPI_File_seek(file, 0, MPI_SEEK_SET), "MPI_File_seek");
  program.good(MPI_File_iread_all(file, found.data(), 10, MPI_INT, &request), "MPI_File_iread_all");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  program.good(MPI_File_read_all(file, found.data() + 10, 10, MPI_INT, &status), "MPI_File_read_all");
  program.good(MPI_File_read_at_all_begin(file, 20, found.data() + 20, 10, MPI_INT),
               "MPI_File_read_at_all_begin");
  program.good(MPI_File_read_at_all_end(file, found.data() + 20, &status), "MPI_File_read_at_all_end");
  program.good(MPI_File_iread_at(file, 30, found.data() + 30, 10, MPI_INT, &request), "MPI_File_iread_at");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  program.that(found == values(program.rank, 40), "data of four kinds of reads");
}

void shared_pointer(Program& program, MPI_File file) {
  // Ordered writes go rank after rank behind the shared pointer.
  program.good(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "MPI_File_set_view");
  program.good(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "MPI_File_seek_shared");
  const auto data = values(program.rank, 5, 60);
  MPI_Status status;
  program.good(MPI_File_write_ordered(file, data.data(), 5, MPI_INT, &status), "MPI_File_write_ordered");
  settle(file, MPI_COMM_WORLD);
  std::vector<int> found(5);
  program.good(MPI_File_read_at_all(file, 5LL * program.rank, found.data(), 5, MPI_INT, &status),
               "MPI_File_read_at_all");
  program.that(found == data, "ordered data, read at explicit offsets");
  MPI_Offset position = -1;
  program.good(MPI_File_get_position_shared(file, &position), "MPI_File_get_position_shared");
  program.equal(position, 5LL * program.size, "shared file pointer");
}

/// Big-endian 4-byte integers, where the library has them; where not, set_view says so on all ranks.
void external32(Program& program) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("external32").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  const int code = MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
  if (code != MPI_SUCCESS) {
    program.same_error(code, "external32 refused");
    program.good(MPI_File_close(&file), "MPI_File_close");
    return;
  }
  const auto data = values(program.rank, 10);
  MPI_Status status;
  program.good(MPI_File_write_at_all(file, 10LL * program.rank, data.data(), 10, MPI_INT, &status),
               "MPI_File_write_at_all in external32");
  settle(file, MPI_COMM_WORLD);
  std::vector<int> found(10);
  program.good(MPI_File_read_at_all(file, 10LL * program.rank, found.data(), 10, MPI_INT, &status),
               "MPI_File_read_at_all in external32");
  program.that(found == data, "data in external32");
  program.good(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "MPI_File_set_view");
  unsigned char bytes[4] = {};
  program.good(MPI_File_read_at_all(file, 40LL * program.rank, bytes, 4, MPI_BYTE, &status),
               "MPI_File_read_at_all");
  const auto first = static_cast<unsigned>(value(program.rank, 0));
  // A library may take the name and still store native integers, as ROMIO does for collective calls.
  program.that((bytes[0] == (first >> 24) && bytes[3] == (first & 255)) ||
                   (bytes[3] == (first >> 24) && bytes[0] == (first & 255)),
               "stored integers");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("through").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  view_of_mine(program, file);
  mixed_writes(program, file);
  mixed_reads(program, file);
  shared_pointer(program, file);
  program.good(MPI_File_close(&file), "MPI_File_close");
  external32(program);
  return program.finish();
}
