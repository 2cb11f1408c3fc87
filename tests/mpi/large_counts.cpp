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
    program.good(MPI_File_close(&file), "MPI_File_close");
  }
  return program.finish();
}
