/* The contract between libcollio.so and the engine: a table of the functions of collio.h. */
#ifndef COLLIO_CAPI_LIBRARY_H
#define COLLIO_CAPI_LIBRARY_H

#define COLLIO_WITHOUT_MPI_H
#include "collio/collio.h"

#ifdef __cplusplus
extern "C" {
#endif

struct collio_library {
  const char* version; /* of the engine: COLLIO_LIBRARY_VERSION */
  const char* (*error_text)(void);
#define COLLIO_FUNCTION(name, parameters, arguments) int(*name) parameters;
#include "capi/calls.def"
#undef COLLIO_FUNCTION
};

/* Exported by libcollio_engine_FAMILY.so. */
typedef const struct collio_library* (*collio_library_start_function)(void);
#define COLLIO_LIBRARY_START "collio_library_start"

/* Both sides must have the same: with other rows, or in another order, the table is another one. */
#define COLLIO_LIBRARY_VERSION COLLIO_VERSION " (calls " COLLIO_CALLS ")"

#ifdef __cplusplus
}
#endif
#endif
