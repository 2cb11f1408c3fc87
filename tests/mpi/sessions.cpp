// Files of a communicator that a session made: there is no MPI_Init, and no MPI_COMM_WORLD. Exit code 77: the
// MPI library has no files without MPI_Init (MPICH 4.0).
#include "check.hpp"

using namespace collio::test;

namespace {

int failures = 0;

void that(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "sessions: %s\n", what);
}

/// False: the library says it needs MPI_Init.
bool open_file(MPI_Comm comm, const std::string& path, MPI_File& file) {
  const int code = MPI_File_open(
      comm, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  if (code == MPI_SUCCESS) return true;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::fprintf(stderr, "sessions: MPI_File_open: %s\n", text);
  if (std::string(text).find("MPI not initialized") != std::string::npos) return false;
  ++failures;
  return true;
}

/// False: see open_file().
bool use_file(MPI_Comm comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  long id = getpid();
  MPI_Bcast(&id, 1, MPI_LONG, 0, comm);
  const std::string path =
      (access("/dev/shm", W_OK) == 0 ? "/dev/shm/collio_session." : "collio_session.") + std::to_string(id);
  MPI_File file = MPI_FILE_NULL;
  if (!open_file(comm, path, file)) return false;
  if (file == MPI_FILE_NULL) return true;
  MPI_Datatype type = dealt_ints(rank, size, 3);
  MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL);
  MPI_Type_free(&type);
  const std::vector<int> data = values(rank, 3000);
  that(MPI_File_write_all(file, data.data(), 3000, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS,
       "MPI_File_write_all");
  settle(file, comm);
  std::vector<int> found(3000, -1);
  that(MPI_File_read_at_all(file, 0, found.data(), 3000, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS,
       "MPI_File_read_at_all");
  that(found == data, "data read back");
  that(MPI_File_close(&file) == MPI_SUCCESS, "MPI_File_close");
  return true;
}

}  // namespace

int main() {
  alarm(100);
  MPI_Session session = MPI_SESSION_NULL;
  if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS) return 1;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm comm = MPI_COMM_NULL;
  that(MPI_Comm_create_from_group(group, "collio.test.sessions", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
           MPI_SUCCESS,
       "MPI_Comm_create_from_group");
  const bool can = use_file(comm);
  int total = failures;
  if (can) MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT, MPI_SUM, comm);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  if (!can) std::puts("skipped: the MPI library has no files on communicators of sessions");
  if (!can) return 77;
  return total == 0 ? 0 : 1;
}
