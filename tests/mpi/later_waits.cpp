// Programs that look at requests with MPI-4.1's functions: nonblocking calls move on in them. later_mpi.c has
// them for older libraries.
#include "check.hpp"

extern "C" {
int MPI_Request_get_status_all(int count, const MPI_Request requests[], int* flag, MPI_Status statuses[]);
int MPI_Request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag,
                               MPI_Status* status);
int MPI_Request_get_status_some(int count, const MPI_Request requests[], int* done, int indices[],
                                MPI_Status statuses[]);
}

using namespace collio::test;

namespace {

constexpr int count = 20000;

/// Whether the requests are done, by one of the three.
bool done(int way, MPI_Request* requests) {
  int flag = 0, index = -1, some = 0, indices[2] = {};
  if (way == 0) MPI_Request_get_status_all(2, requests, &flag, MPI_STATUSES_IGNORE);
  if (way == 1) MPI_Request_get_status_any(1, &requests[1], &index, &flag, MPI_STATUS_IGNORE);
  if (way == 2) MPI_Request_get_status_some(2, requests, &some, indices, MPI_STATUSES_IGNORE);
  return way == 2 ? some == 2 : flag != 0;
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 30);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("later").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  MPI_Datatype type = dealt_ints(program.rank, program.size, 3);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  for (int way = 0; way < 3; ++way) {
    const auto data = values(program.rank + way, 2 * count);
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i)
      program.good(
          MPI_File_iwrite_at_all(file, i * count, data.data() + i * count, count, MPI_INT, &requests[i]),
          "MPI_File_iwrite_at_all");
    while (!done(way, requests)) {}
    program.good(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    std::vector<int> found(2 * count, -1);
    program.good(MPI_File_read_at_all(file, 0, found.data(), 2 * count, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_read_at_all");
    program.that(found == data, "data");
  }
  MPI_File_close(&file);
  return program.finish();
}
