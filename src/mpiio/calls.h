/* The contract between the preloaded shim and the engine library: two tables of functions with MPI's own
   signatures. The shim fills `real` with the MPI library's functions, the engine answers with its own. */
#ifndef COLLIO_MPIIO_CALLS_H
#define COLLIO_MPIIO_CALLS_H

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct collio_calls {
#define COLLIO_CALL(name, parameters, arguments) int(*name) parameters;
#include "mpiio/calls.def"
#undef COLLIO_CALL
};

/* Exported by libcollio_engine.so. `real` outlives the process's use of MPI; its large-count members are null
   where the MPI library has none. */
typedef const struct collio_calls* (*collio_engine_start_function)(const struct collio_calls* real);
#define COLLIO_ENGINE_START "collio_engine_start"

#ifdef __cplusplus
}
#endif
#endif
