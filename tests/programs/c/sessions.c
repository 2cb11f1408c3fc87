/* Two sessions, one after the other, and no MPI_Init: each writes and reads a file, and asks for one that is
   not there. Usage: sessions FILE. Prints a line for each rank and session. The process ends in the second
   session: Open MPI 5.0 crashes where that ends, without files too. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 2000 };

static void is(int ok, const char* what) {
  if (ok) return;
  printf("wrong: %s\n", what);
  fflush(stdout);
  _Exit(1);
}

static void use_file(MPI_Comm comm, const char* path, int turn) {
  int data[count], found[count], rank, size, error_class, length;
  char text[MPI_MAX_ERROR_STRING];
  MPI_File file;
  MPI_Datatype type;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < count; ++i) {
    data[i] = (rank * 10 + turn) * count + i;
    found[i] = -1;
  }
  is(!MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                    &file),
     "open");
  MPI_Type_vector(count / 2, 2, 2 * size, MPI_INT, &type);
  MPI_Type_commit(&type);
  is(!MPI_File_set_view(file, 2 * rank * sizeof(int), MPI_INT, type, "native", MPI_INFO_NULL), "set_view");
  MPI_Type_free(&type);
  is(!MPI_File_write_all(file, data, count, MPI_INT, MPI_STATUS_IGNORE), "write_all");
  is(!MPI_File_read_at_all(file, 0, found, count, MPI_INT, MPI_STATUS_IGNORE), "read_at_all");
  is(!memcmp(data, found, sizeof data), "data");
  is(!MPI_File_set_size(file, 0), "set_size");
  is(!MPI_File_close(&file), "close");
  MPI_File_open(comm, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  int code = MPI_File_open(comm, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_Error_class(code, &error_class);
  MPI_Error_string(code, text, &length);
  is(error_class == MPI_ERR_NO_SUCH_FILE, text);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (int turn = 1; turn <= 2; ++turn) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank;
    is(!MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), "MPI_Session_init");
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    is(!MPI_Comm_create_from_group(group, "collio.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
       "MPI_Comm_create_from_group");
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    use_file(comm, argv[1], turn);
    printf("session %d, rank %d: right\n", turn, rank);
    fflush(stdout);
    if (turn == 2) MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    if (turn == 1) MPI_Session_finalize(&session);
  }
  _Exit(0);
}
