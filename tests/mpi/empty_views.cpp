// File types without bytes, on some ranks or on all: these ranks have nothing to move, and the file stays
// with collio.
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int width = 50;  // ints in a row

/// Rows in one block a rank, as darray deals them: fewer than ranks, so the last rank has none.
MPI_Datatype rows_of(const Program& program, int rows) {
  const int sizes[] = {rows, width}, distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
  const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG},
            processes[] = {program.size, 1};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_darray(program.size, program.rank, 2, sizes, distributions, arguments, processes,
                         MPI_ORDER_C, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

MPI_Datatype no_ints() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_indexed(0, nullptr, nullptr, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

void by_library_never(Program& program, const Reports& reports, const std::string& path) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (!collio_is_on() || program.rank != 0) return;
  const std::string report = reports.of(path);
  program.that(report.find("\"operation\"") != std::string::npos, "the report has calls");
  program.that(report.find("\"native\"") == std::string::npos, "no call is left to the MPI library");
}

/// One rank more than there are rows.
void short_array(Program& program, const Reports& reports) {
  const int rows = program.size - 1;
  if (rows == 0) return;
  const std::string path = program.temporary("rows");
  MPI_File file = MPI_FILE_NULL;
  program.good(
      MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
      "MPI_File_open");
  MPI_Datatype type = rows_of(program, rows);
  program.good(MPI_File_set_view(file, 8, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  const int count = program.rank < rows ? width : 0;
  const auto data = values(0, count, static_cast<long long>(program.rank) * width);
  MPI_Status status;
  program.good(MPI_File_write_all(file, data.data(), count, MPI_INT, &status), "MPI_File_write_all");
  program.equal(status_bytes(status), 4 * count, "bytes written");
  settle(file, MPI_COMM_WORLD);
  std::vector<int> found(static_cast<std::size_t>(count), -1);
  program.good(MPI_File_read_at_all(file, 0, found.data(), count, MPI_INT, &status), "MPI_File_read_at_all");
  program.that(found == data, "rows through the same view");
  program.good(MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "MPI_File_set_view");
  found.assign(static_cast<std::size_t>(rows * width), -1);
  program.good(MPI_File_read_all(file, found.data(), rows * width, MPI_INT, &status), "MPI_File_read_all");
  program.that(found == values(0, rows * width), "all rows");
  program.good(MPI_File_close(&file), "MPI_File_close");
  by_library_never(program, reports, path);
}

/// No rank has a byte.
void nobody(Program& program, MPI_File file) {
  MPI_Datatype nothing = no_ints();
  program.good(MPI_File_set_view(file, 4, MPI_INT, nothing, "native", MPI_INFO_NULL),
               "MPI_File_set_view of nothing");
  MPI_Type_free(&nothing);
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  program.good(MPI_File_write_all(file, nullptr, 0, MPI_INT, &status), "MPI_File_write_all of nothing");
  program.equal(status_bytes(status), 0, "bytes written");
  program.good(MPI_File_iwrite_all(file, nullptr, 0, MPI_INT, &request), "MPI_File_iwrite_all of nothing");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  program.good(MPI_File_seek(file, 0, MPI_SEEK_END), "MPI_File_seek");
}

/// Data where the view has no place for it. MPI libraries' own I/O says that it was written, or writes it
/// somewhere.
void without_a_place(Program& program, MPI_File file) {
  const bool last = program.rank == program.size - 1;
  MPI_Datatype type = last ? no_ints() : dealt_ints(program.rank, program.size, 2);
  program.good(MPI_File_set_view(file, 4, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  std::vector<int> data = values(program.rank, 10);
  MPI_Status status;
  const int code = MPI_File_write_at_all(file, 0, data.data(), 10, MPI_INT, &status);
  program.equal(program.same_error(code, "a write without a place"), MPI_ERR_ARG, "class of the error");
  program.good(MPI_File_write_at_all(file, 0, data.data(), last ? 0 : 10, MPI_INT, &status),
               "MPI_File_write_at_all");
  settle(file, MPI_COMM_WORLD);
  program.good(MPI_File_read_at_all(file, 0, data.data(), 10, MPI_INT, &status), "MPI_File_read_at_all");
  program.equal(status_bytes(status), last ? 0 : 40, "bytes read");
  program.that(data == values(program.rank, 10), "data read");
  MPI_Offset offset = -1, position = -1;
  if (program.size > 1 && last) {  // with one rank the library answers for itself
    program.good(MPI_File_get_byte_offset(file, 3, &offset), "MPI_File_get_byte_offset");
    program.equal(offset, 4, "place in a file type without bytes");
    program.good(MPI_File_seek(file, 0, MPI_SEEK_END), "MPI_File_seek");
    program.good(MPI_File_get_position(file, &position), "MPI_File_get_position");
    program.equal(position, 0, "end in etypes");
    program.good(MPI_File_read(file, data.data(), 10, MPI_INT, &status), "MPI_File_read");
    program.equal(status_bytes(status), 0, "bytes read by one rank");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  const Reports reports(program);
  short_array(program, reports);
  const std::string path = program.temporary("nothing");
  MPI_File file = MPI_FILE_NULL;
  program.good(
      MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
      "MPI_File_open");
  nobody(program, file);
  if (collio_is_on()) without_a_place(program, file);
  program.good(MPI_File_close(&file), "MPI_File_close");
  by_library_never(program, reports, path);
  return program.finish();
}
