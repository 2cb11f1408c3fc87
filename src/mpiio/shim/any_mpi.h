/* The C types of MPI that the preloaded library passes on, for any MPI library. A handle travels in a whole
 * register, whatever its width in the calling MPI. Values that differ between libraries are in families.def.
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
