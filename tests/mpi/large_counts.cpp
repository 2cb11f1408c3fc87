// The _c forms (MPI_Count counts): from the MPI library where it has them, else from the interposer.
#include <dlfcn.h>

#include "check.hpp"

using namespace collio::test;

namespace {

template <class Function>
Function form(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

using Write = int (*)(MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*);
using WriteAt = int (*)(MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype, MPI_Status*);
using Read = int (*)(MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*);
using ReadAt = int (*)(MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Status*);
using IWriteAt = int (*)(MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype, MPI_Request*);

/// Calls that the MPI library does where a file is its own, whether it has their _c forms or not.
void by_one_rank(Program& program, const std::string& name, MPI_File file) {
  const auto write_at = form<WriteAt>((name + "write_at_c").c_str());
  const auto iwrite_at = form<IWriteAt>((name + "iwrite_at_c").c_str());
  const auto read_at = form<ReadAt>((name + "read_at_c").c_str());
  const auto read_shared = form<Read>((name + "read_shared_c").c_str());
  const auto data = values(program.rank, 20);
  std::vector<int> found(20, -1);
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Offset at = 20 * program.rank;
  program.good(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "MPI_File_set_view");
  program.good(write_at(file, at, data.data(), 10, MPI_INT, &status), "write_at_c");
  program.equal(status_bytes(status), 40, "status bytes");
  program.good(iwrite_at(file, at + 10, data.data() + 10, 10, MPI_INT, &request), "iwrite_at_c");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  settle(file, MPI_COMM_WORLD);
  program.good(read_at(file, at, found.data(), 20, MPI_INT, &status), "read_at_c");
  program.equal(status_bytes(status), 80, "status bytes");
  program.that(found == data, "data through the _c forms of independent calls");
  program.good(read_shared(file, found.data(), 4, MPI_INT, &status), "read_shared_c");
  program.equal(status_bytes(status), 16, "status bytes");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  for (const char* prefix : {"MPI_File_", "PMPI_File_"}) {
    const std::string name(prefix);
    const auto write_all = form<Write>((name + "write_all_c").c_str());
    const auto write_at_all = form<WriteAt>((name + "write_at_all_c").c_str());
    const auto read_all = form<Read>((name + "read_all_c").c_str());
    const auto read_at_all = form<ReadAt>((name + "read_at_all_c").c_str());
    if (write_all == nullptr) {
      // Only where the library is older than MPI 4 and collio is not there.
      program.that(!collio_is_on(), "collio brings the _c forms");
      if (program.rank == 0) program.left_out(std::string(prefix) + "write_all_c is not in this MPI library");
      continue;
    }
    MPI_File file = MPI_FILE_NULL;
    program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary(name).c_str(),
                               MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
                 "MPI_File_open");
    MPI_Datatype type = dealt_ints(program.rank, program.size, 3);
    program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
    MPI_Type_free(&type);
    const auto data = values(program.rank, 60);
    std::vector<int> found(60, -1);
    MPI_Status status;
    program.good(write_all(file, data.data(), 30, MPI_INT, &status), "write_all_c");
    program.equal(status_bytes(status), 120, "status bytes");
    program.good(write_at_all(file, 30, data.data() + 30, 30, MPI_INT, &status), "write_at_all_c");
    settle(file, MPI_COMM_WORLD);
    program.good(MPI_File_seek(file, 0, MPI_SEEK_SET), "MPI_File_seek");
    program.good(read_all(file, found.data(), 20, MPI_INT, &status), "read_all_c");
    program.good(read_at_all(file, 20, found.data() + 20, 40, MPI_INT, &status), "read_at_all_c");
    program.equal(status_bytes(status), 160, "status bytes");
    program.that(found == data, "data through the _c forms");
    by_one_rank(program, name, file);
    program.good(MPI_File_close(&file), "MPI_File_close");
  }
  return program.finish();
}
