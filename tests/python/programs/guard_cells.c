/* An MPI library whose data calls go astray: what is written begins with the first byte of the buffer, and a
 * read leaves something there. In FLASH's blocks that byte is a guard cell's. */
#include <mpi.h>

int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                          MPI_Status* status) {
  int code = PMPI_File_write_at_all(file, offset, buffer, count, type, status);
  if (code == MPI_SUCCESS && offset == 0) {
    MPI_Status ignored;
    code = PMPI_File_write_at(file, offset, buffer, 1, MPI_BYTE, &ignored);
  }
  return code;
}

int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                         MPI_Status* status) {
  int code = PMPI_File_read_at_all(file, offset, buffer, count, type, status);
  if (offset == 0) *(unsigned char*)buffer = 1;
  return code;
}
