// What a program asserts of its own messages (mpi_assert_no_any_source and kin) does not reach collio's
// communicators, which are received on from any rank. Before MPI-4 duplicates have the hints of the original;
// this program stands in front of the library and gives them to duplicates. It does not assert anything
// itself: in MPI_File_open Open MPI 4.1.4 receives from any source on the program's communicator, and hangs.
#include <cstring>

#include "in_front.hpp"
#include "pieces.hpp"

using namespace collio::test;

namespace {

int asked_of_any = 0, asserted = 0;

MPI_Info assertions() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const char* key : {"mpi_assert_no_any_source", "mpi_assert_no_any_tag", "mpi_assert_exact_length"})
    MPI_Info_set(info, key, "true");
#ifndef OPEN_MPI  // its duplicates inherit nothing, and 4.1.4 loses messages when this assertion changes
  MPI_Info_set(info, "mpi_assert_allow_overtaking", "true");
#endif
  return info;
}

/// As if the original had assertions, before MPI-4.
int duplicate(MPI_Comm comm, MPI_Comm* copy) {
  MPI_Info info = assertions();
  const int code = PMPI_Comm_dup_with_info(comm, info, copy);
  MPI_Info_free(&info);
  return code;
}

void look_at(int source, MPI_Comm comm) {
  if (source != MPI_ANY_SOURCE) return;
  ++asked_of_any;
  MPI_Info info = MPI_INFO_NULL;
  PMPI_Comm_get_info(comm, &info);
  int keys = 0;
  MPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = "", value[16] = "";
    int found = 0;
    MPI_Info_get_nthkey(info, i, key);
    if (std::strncmp(key, "mpi_assert_", 11) != 0) continue;
    MPI_Info_get(info, key, 15, value, &found);
    asserted += std::strcmp(value, "true") == 0;
  }
  MPI_Info_free(&info);
}

}  // namespace

extern "C" {
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) { return duplicate(comm, copy); }
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* copy, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return duplicate(comm, copy);
}
int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  look_at(source, comm);
  return COLLIO_BEHIND(PMPI_Improbe)(source, tag, comm, flag, message, status);
}
int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  look_at(source, comm);
  return COLLIO_BEHIND(PMPI_Iprobe)(source, tag, comm, flag, status);
}
}

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  for (const char* path : {"two_phase", "two_layer"}) {
    MPI_File file = MPI_FILE_NULL;
    MPI_Info info = make_info(
        {{"collio_path", path}, {"cb_nodes", std::to_string(program.size)}, {"cb_config_list", "*:*"}});
    program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary(path).c_str(),
                               MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
                 "MPI_File_open");
    MPI_Info_free(&info);
    MPI_Datatype type = dealt_ints(program.rank, program.size, 3);
    MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL);
    MPI_Type_free(&type);
    const auto data = values(program.rank, 30000);
    std::vector<int> found(data.size(), -1);
    program.good(MPI_File_write_at_all(file, 0, data.data(), 30000, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_write_at_all");
    program.good(MPI_File_read_at_all(file, 0, found.data(), 30000, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_read_at_all");
    program.that(found == data, "data");
    program.good(MPI_File_close(&file), "MPI_File_close");
  }
  program.that(asked_of_any > 0, "collio looks for messages of any rank");
  program.equal(asserted, 0, "assertions on communicators that are received on from any rank");
  return program.finish();
}
