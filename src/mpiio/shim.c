/* libcollio_mpiio.so: what is preloaded.
 *
 * Exports the MPI_ and PMPI_ names of the calls collio takes over (Open MPI's Fortran bindings call PMPI_) and
 * depends on nothing but the C library, so it can be preloaded into launchers, shells and interpreters alike.
 * At the first MPI_File_open it finds the MPI library: behind it in the search order, or, where that was loaded
 * privately (as an interpreter's extension does), by its soname. It makes its symbols visible to the engine,
 * and loads libcollio_engine.so from its own folder. Without an engine every call passes through.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "mpiio/calls.h"

/* Handles pass through in a whole register each, whatever their width in the MPI that calls: the program may use
   MPI's standard ABI, whose handles are wider than those collio was built for. Hence names of its own for the
   functions here, bound to the MPI names by the assembler. */
typedef void* handle;
#define MPI_Comm handle
#define MPI_Info handle
#define MPI_Datatype handle
#define MPI_Request handle

struct wide_calls {
#define COLLIO_CALL(name, parameters, arguments) int(*name) parameters;
#include "mpiio/calls.def"
#undef COLLIO_CALL
};

static const char* const sonames[] = {
#ifdef OPEN_MPI
    "libmpi.so.40", "libmpi.so",
#else
    "libmpi.so.12", "libmpich.so.12", "libmpi.so",
#endif
};

static struct wide_calls real;
static const struct wide_calls* engine;
static pthread_once_t found_once = PTHREAD_ONCE_INIT;
static pthread_once_t started_once = PTHREAD_ONCE_INIT;
/* Calls that MPI's own implementation of a call makes are not ours to take over. */
static __thread int depth;

static void* find(const char* name) {
  char profiling[64];
  void* function = dlsym(RTLD_NEXT, name);
  snprintf(profiling, sizeof profiling, "P%s", name);
  if (!function) function = dlsym(RTLD_NEXT, profiling);
  for (size_t i = 0; !function && i < sizeof sonames / sizeof *sonames; ++i) {
    void* library = dlopen(sonames[i], RTLD_LAZY | RTLD_NOLOAD);
    if (!library) continue;
    function = dlsym(library, name);
    if (!function) function = dlsym(library, profiling);
    dlclose(library);
  }
  return function;
}

static void find_real(void) {
#define COLLIO_CALL(name, parameters, arguments) *(void**)&real.name = find("MPI_" #name);
#include "mpiio/calls.def"
#undef COLLIO_CALL
}

static const struct wide_calls* real_calls(void) {
  pthread_once(&found_once, find_real);
  return &real;
}

/* The engine was compiled for one MPI's handles and constants; another's would be misread. */
static int same_mpi(void) {
  char version[8192] = "";
  int length = 0;
  int (*get_version)(char*, int*) = NULL;
  *(void**)&get_version = find("MPI_Get_library_version");
  if (!get_version || get_version(version, &length) != 0) return 0;
#ifdef OPEN_MPI
  return strstr(version, "Open MPI") != NULL;
#else
  return strstr(version, "Open MPI") == NULL;
#endif
}

static void start_engine(void) {
  Dl_info here, mpi;
  char path[PATH_MAX];
  if (!real_calls()->File_open) return;
  if (!same_mpi()) {
    fprintf(stderr, "collio: this build is for another MPI library than the program uses; calls pass through\n");
    return;
  }
  void* version = find("MPI_Get_library_version");
  const int known = dladdr(version, &mpi);
  if (known && strstr(mpi.dli_fname, "libmpi_abi.so")) {
    fprintf(stderr, "collio: the program uses MPI's standard ABI, collio was built for its MPI's own; calls pass through\n");
    return;
  }
  if (known) dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  if (!dladdr(&real, &here) || !here.dli_fname) return;
  const char* slash = strrchr(here.dli_fname, '/');
  const int folder = slash ? (int)(slash - here.dli_fname + 1) : 0;
  snprintf(path, sizeof path, "%.*slibcollio_engine.so", folder, here.dli_fname);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  collio_engine_start_function start = NULL;
  if (library) *(void**)&start = dlsym(library, COLLIO_ENGINE_START);
  if (start)
    engine = (const struct wide_calls*)start((const struct collio_calls*)real_calls());
  else
    fprintf(stderr, "collio: the engine cannot be loaded, calls pass through: %s\n", dlerror());
}

/* The table a call goes to: the engine's, once there is one and the call is the program's own. */
static const struct wide_calls* enter(void) {
  return depth++ == 0 && engine ? engine : real_calls();
}

static int leave(int result) {
  --depth;
  return result;
}

/* A call of the program's own to MPI_File_open is where collio begins. */
static void before_File_open(void) {
  if (depth == 0) pthread_once(&started_once, start_engine);
}

static int missing(const char* name) {
  fprintf(stderr, "collio: the MPI library has no %s\n", name);
  return MPI_ERR_OTHER;
}

#define EXPORT __attribute__((visibility("default")))
#define COLLIO_DEFINE(prefix, name, parameters, arguments)                      \
  EXPORT int shim_##prefix##name parameters __asm__(#prefix #name);             \
  int shim_##prefix##name parameters {                                          \
    before_##name();                                                            \
    const struct wide_calls* calls = enter();                                   \
    return leave(calls->name ? calls->name arguments : missing(#prefix #name)); \
  }
#define COLLIO_CALL(name, parameters, arguments)   \
  static inline void before_##name(void) {}        \
  COLLIO_DEFINE(MPI_, name, parameters, arguments) \
  COLLIO_DEFINE(PMPI_, name, parameters, arguments)
#define COLLIO_WITHOUT_OPEN
#include "mpiio/calls.def"

COLLIO_DEFINE(MPI_, File_open, (handle comm, const char* path, int mode, handle info, MPI_File* file),
              (comm, path, mode, info, file))
COLLIO_DEFINE(PMPI_, File_open, (handle comm, const char* path, int mode, handle info, MPI_File* file),
              (comm, path, mode, info, file))
