// A view in etypes of more than 2 GiB, which the MPI library has alone: a count of bytes in an int is too
// short.
#include "check.hpp"

using namespace collio::test;

namespace {

/// 300 million doubles, and a rest: no whole number of GiB.
MPI_Datatype big_etype() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(300000001, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

/// Nested, so that the MPI library is not given it: 4 etypes with holes between them.
MPI_Datatype costly_filetype(MPI_Datatype etype) {
  MPI_Datatype pair = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, etype, &pair);
  MPI_Type_vector(2, 1, 2, pair, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&pair);
  return type;
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("etypes").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  MPI_Datatype etype = big_etype(), filetype = costly_filetype(etype);
  program.good(MPI_File_set_view(file, 0, etype, filetype, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Offset place = 0;
  program.good(MPI_File_get_byte_offset(file, 1, &place), "MPI_File_get_byte_offset");
  program.equal(place, MPI_Offset{2} * 300000001 * 8, "the byte of the second etype");
  char nothing = 0;
  MPI_Status status;
  program.good(MPI_File_write_all(file, &nothing, 0, MPI_BYTE, &status), "MPI_File_write_all");
  program.good(MPI_File_seek(file, 3, MPI_SEEK_SET), "MPI_File_seek");
  MPI_Offset position = 0;
  program.good(MPI_File_get_position(file, &position), "MPI_File_get_position");
  program.equal(position, 3, "position in etypes");
  // Bytes again.
  program.good(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "MPI_File_set_view");
  const std::vector<int> data(100, program.rank);
  std::vector<int> found(100);
  const MPI_Offset at = MPI_Offset{400} * program.rank;
  program.good(MPI_File_write_at_all(file, at, data.data(), 100, MPI_INT, &status), "MPI_File_write_at_all");
  program.good(MPI_File_read_at_all(file, at, found.data(), 100, MPI_INT, &status), "MPI_File_read_at_all");
  program.that(found == data, "data in the next view");
  MPI_Type_free(&etype);
  MPI_Type_free(&filetype);
  program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
