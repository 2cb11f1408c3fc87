/* What families.def says of the family of MPI libraries that this engine is for, against the family's own
 * header. */
#include <mpi.h>
#include <stdint.h>

#define COLLIO_NAME_OF(family) COLLIO_FAMILY_##family
#define COLLIO_FAMILY(name, comm_bytes, err_other, thread_multiple, comm_null, file_null, int_type, op_min) \
  _Static_assert(                                                                                           \
      !COLLIO_NAME_OF(name) || (sizeof(MPI_Comm) == (comm_bytes) && MPI_ERR_OTHER == (err_other) &&         \
                                MPI_THREAD_MULTIPLE == (thread_multiple) && MPI_SUCCESS == 0),              \
      #name);                                                                                               \
  _Static_assert(!COLLIO_NAME_OF(name) || (comm_null(MPI_COMM_NULL) && file_null(MPI_FILE_NULL) &&          \
                                           int_type(MPI_INT) && op_min(MPI_MIN)),                           \
                 #name " constants");
#define NUMBER(value) (value) == (uintptr_t)
#define SYMBOL(name) !!sizeof
#include "mpiio/shim/families.def"
