/* MPI's C types for any MPI library at all, as far as the preloaded library passes them on. A handle travels in a whole register, whatever its
 * width in the MPI that calls. What has other values in other libraries is in families.def.
 */
#ifndef COLLIO_MPIIO_ANY_MPI_H
#define COLLIO_MPIIO_ANY_MPI_H

#include <stdint.h>

typedef void* handle;
typedef handle MPI_Comm;
typedef handle MPI_Info;
typedef handle MPI_Datatype;
typedef handle MPI_Request;
typedef handle MPI_File;
typedef struct any_status MPI_Status;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef intptr_t MPI_Aint;

enum { MPI_SUCCESS = 0 };

#endif
