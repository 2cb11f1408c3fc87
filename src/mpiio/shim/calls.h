/* The contract between the preloaded shim and the engine library: tables of functions with MPI's own
   signatures. The shim gives the MPI library's functions, the engine answers with its own. The engine is
   compiled with the header of its family of MPI libraries, the shim with any_mpi.h (COLLIO_ANY_MPI). */
#ifndef COLLIO_MPIIO_CALLS_H
#define COLLIO_MPIIO_CALLS_H

#ifdef COLLIO_ANY_MPI
#include "mpiio/shim/any_mpi.h"
#else
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

#include "mpiio/shim/data_forms.h"

#ifdef __cplusplus
extern "C" {
#endif

struct collio_calls {
#define COLLIO_CALL(name, parameters, arguments) int(*name) parameters;
#include "mpiio/shim/calls.def"
#undef COLLIO_CALL
};

struct collio_waits {
#define COLLIO_WAIT(name, parameters, arguments) int(*name) parameters;
#include "mpiio/shim/waits.def"
#undef COLLIO_WAIT
};

/* What ranks tell each other when a file is opened, by one MPI_Iallreduce of ints with MPI_MIN over the
 * program's communicator: 1 is yes, 0 no. Ranks that have met on the communicator before, all with an engine,
 * may do it in shared memory (engine/open/reception.hpp). Ranks that have not begin with an MPI_Ibcast of
 * collio_open_invitation ints from the first rank. */
enum {
  collio_open_engine,     /* there is one */
  collio_open_memory,     /* it had the memory it needs to open */
  collio_open_path,       /* it knows the file that the library opened */
  collio_open_by_library, /* the library opened the file */
  collio_open_mode,       /* the program's amode */
  collio_open_minus_mode,
  collio_open_unchecked,     /* check mode is not asked for */
  collio_open_plain,         /* the file is not kept in subfiles, as the first rank sees it */
  collio_open_first_without, /* rank without an engine; INT_MAX: it has one */
  collio_open_in_memory,     /* it has come into the memory that the first rank invites to */
  collio_open_noted,         /* it will know that ranks have met */
  collio_open_word, /* the first of those of the engine (engine/open/first_word.hpp); INT_MAX: nothing */
  collio_open_words = collio_open_word + 244
};
enum { collio_open_invitation = 14 };

/* What the shim gives the engine. It outlives the process's use of MPI. `calls`: the MPI library's functions;
   large-count members are null where it has none. `waits`: the same. `own`: calls that the calling thread
   makes from now on are the engine's (1), or the program's again (-1). */
struct collio_shim {
  const struct collio_calls* calls;
  const struct collio_waits* waits;
  void (*own)(int more);
  int at_init; /* the engine starts behind MPI_Init, not in front of an open */
  /* where a function above MPI-IO is to be told that the process comes to; null: it left it */
  void (**above)(const char* name);
};

/* What the engine answers: its own functions, and how many requests and split calls of its own there are. The
   functions that complete requests are for when there are any. */
struct collio_engine {
  const struct collio_calls* calls;
  const struct collio_waits* waits;
  const int* pending;
};

/* Exported by libcollio_engine_FAMILY.so. */
typedef const struct collio_engine* (*collio_engine_start_function)(const struct collio_shim* shim);
#define COLLIO_ENGINE_START "collio_engine_start"

#ifdef __cplusplus
}
#endif
#endif
