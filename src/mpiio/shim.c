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
#include <stdlib.h>
#include <string.h>

#include "mpiio/calls.h"
#include "mpiio/shim.h"

/* The functions here have names of their own, bound to the MPI names by the assembler, as MPI's header declares other types. */
#define MPI_Comm handle
#define MPI_Info handle
#define MPI_Datatype handle
#define MPI_Request handle

struct wide_calls {
#define COLLIO_CALL(name, parameters, arguments) int(*name) parameters;
#include "mpiio/calls.def"
#undef COLLIO_CALL
};

struct wide_waits {
#define COLLIO_WAIT(name, parameters, arguments) int(*name) parameters;
#include "mpiio/waits.def"
#undef COLLIO_WAIT
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
/* Both names of each: a tool below may have the one and call the other. The engine gets the second. */
static struct wide_waits real_MPI_waits, real_PMPI_waits;
static const struct wide_waits* engine_waits;
static const int nothing_pending;
static const int* pending = &nothing_pending;
static pthread_once_t found_once = PTHREAD_ONCE_INIT;
static pthread_once_t started_once = PTHREAD_ONCE_INIT;
/* Calls that MPI's own implementation of a call makes are not ours to take over. A thread of the engine's begins at `own_depth`. */
static __thread int depth, own_depth;
/* The program opens or closes a file. */
static __thread int no_file;
/* The program's MPI is the engine's, and the engine cannot be loaded. */
static int absent;

void* shim_find(const char* name) {
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
#define COLLIO_CALL(name, parameters, arguments) *(void**)&real.name = shim_find("MPI_" #name);
#include "mpiio/calls.def"
#undef COLLIO_CALL
#define COLLIO_WAIT(name, parameters, arguments)              \
  *(void**)&real_MPI_waits.name = shim_find("MPI_" #name);    \
  *(void**)&real_PMPI_waits.name = shim_find("PMPI_" #name);
#include "mpiio/waits.def"
#undef COLLIO_WAIT
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
  *(void**)&get_version = shim_find("MPI_Get_library_version");
  if (!get_version || get_version(version, &length) != 0) return 0;
#ifdef OPEN_MPI
  return strstr(version, "Open MPI") != NULL;
#else
  return strstr(version, "Open MPI") == NULL;
#endif
}

static void own(int more) {
  own_depth += more;
  depth += more;
}

/* Not so on a thread of the engine's: there is no call that would end. */
int shim_inside(void) { return engine && depth > 0 && own_depth == 0; }

int shim_step_out(void) {
  const int where = depth;
  depth = own_depth;
  return where;
}

void shim_come_back(int where) { depth = where; }

static void start_engine(void) {
  static struct collio_shim shim;
  Dl_info here, mpi;
  char path[PATH_MAX];
  if (!real_calls()->File_open) return;
  if (!same_mpi()) {
    fprintf(stderr, "collio: this build is for another MPI library than the program uses; calls pass through\n");
    return;
  }
  void* version = shim_find("MPI_Get_library_version");
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
  if (start) {
    shim.calls = (const struct collio_calls*)real_calls();
    shim.waits = (const struct collio_waits*)&real_PMPI_waits;
    shim.own = own;
    const struct collio_engine* answer = start(&shim);
    engine_waits = (const struct wide_waits*)answer->waits;
    pending = answer->pending;
    engine = (const struct wide_calls*)answer->calls;
  } else {
    absent = 1;
    fprintf(stderr, "collio: the engine cannot be loaded, calls pass through: %s\n", dlerror());
  }
}

/* The table a call goes to: the engine's, once there is one and the call is the program's own. */
static const struct wide_calls* enter(void) {
  return depth++ == 0 && engine ? engine : real_calls();
}

static int leave(int result) {
  if (--depth == 0) {
    const int closed = no_file;
    no_file = 0;
    shim_run_handlers(closed);
  }
  return result;
}

/* A call of the program's own to MPI_File_open is where collio begins. */
static void before_File_open(void) {
  if (depth > 0) return;
  pthread_once(&started_once, start_engine);
  no_file = 1;
}

static void before_File_close(void) {
  if (depth == 0) no_file = 1;
}

int shim_missing(const char* name) {
  fprintf(stderr, "collio: the MPI library has no %s\n", name);
  return MPI_ERR_OTHER;
}

#define COLLIO_DEFINE(prefix, name, parameters, arguments)                           \
  EXPORT int shim_##prefix##name parameters __asm__(#prefix #name);                  \
  int shim_##prefix##name parameters {                                               \
    before_##name();                                                                 \
    const struct wide_calls* calls = enter();                                        \
    return leave(calls->name ? calls->name arguments : shim_missing(#prefix #name)); \
  }
#define COLLIO_CALL(name, parameters, arguments)   \
  static inline void before_##name(void) {}        \
  COLLIO_DEFINE(MPI_, name, parameters, arguments) \
  COLLIO_DEFINE(PMPI_, name, parameters, arguments)
#define COLLIO_WITHOUT_OPEN_AND_CLOSE
#include "mpiio/calls.def"

#define COLLIO_DEFINE_OPEN(prefix)                                                                                                \
  EXPORT int shim_##prefix##File_open(handle comm, const char* path, int mode, handle info, MPI_File* file)                       \
      __asm__(#prefix "File_open");                                                                                               \
  int shim_##prefix##File_open(handle comm, const char* path, int mode, handle info, MPI_File* file) {                            \
    before_File_open();                                                                                                           \
    const struct wide_calls* calls = enter();                                                                                     \
    const int result = calls->File_open ? calls->File_open(comm, path, mode, info, file) : shim_missing(#prefix "File_open");     \
    if (absent && depth == 1) shim_tell_absent(comm, mode, result == MPI_SUCCESS);                                                \
    return leave(result);                                                                                                         \
  }
COLLIO_DEFINE_OPEN(MPI_)
COLLIO_DEFINE_OPEN(PMPI_)
COLLIO_DEFINE(MPI_, File_close, (MPI_File* file), (file))
COLLIO_DEFINE(PMPI_, File_close, (MPI_File* file), (file))

/* While nothing of the engine's is under way, completing a request costs one look at a number more. */
#define COLLIO_DEFINE_WAIT(prefix, name, parameters, arguments)                                          \
  EXPORT int shim_##prefix##name parameters __asm__(#prefix #name);                                      \
  int shim_##prefix##name parameters {                                                                   \
    if (depth == 0 && __atomic_load_n(pending, __ATOMIC_RELAXED) != 0) {                                 \
      ++depth;                                                                                           \
      return leave(engine_waits->name arguments);                                                        \
    }                                                                                                    \
    real_calls();                                                                                        \
    return real_##prefix##waits.name ? real_##prefix##waits.name arguments : shim_missing(#prefix #name); \
  }
#define COLLIO_WAIT(name, parameters, arguments)        \
  COLLIO_DEFINE_WAIT(MPI_, name, parameters, arguments) \
  COLLIO_DEFINE_WAIT(PMPI_, name, parameters, arguments)
#include "mpiio/waits.def"
#undef COLLIO_WAIT

/* COLLIO_THREADS=multiple: the program's MPI is initialized with MPI_THREAD_MULTIPLE, whatever the program asks for, so that
   its nonblocking calls move on by themselves. The standard ABI has other constants, and is left alone. */
static int wants_multiple(const char* init_thread) {
  const char* threads = getenv("COLLIO_THREADS");
  Dl_info mpi;
  if (!threads || !*threads) return 0;
  if (strcmp(threads, "multiple") != 0) {
    fprintf(stderr, "collio: COLLIO_THREADS is '%s'; allowed: multiple; ignored\n", threads);
    return 0;
  }
  void* function = shim_find(init_thread);
  return function && dladdr(function, &mpi) && !strstr(mpi.dli_fname, "libmpi_abi.so");
}

#define COLLIO_DEFINE_INIT(prefix)                                                                             \
  EXPORT int shim_##prefix##Init_thread(int* argc, char*** argv, int required, int* provided)                  \
      __asm__(#prefix "Init_thread");                                                                          \
  int shim_##prefix##Init_thread(int* argc, char*** argv, int required, int* provided) {                       \
    int (*init)(int*, char***, int, int*) = NULL;                                                              \
    *(void**)&init = shim_find(#prefix "Init_thread");                                                              \
    if (!init) return shim_missing(#prefix "Init_thread");                                                          \
    if (depth++ == 0 && wants_multiple(#prefix "Init_thread")) required = MPI_THREAD_MULTIPLE;                 \
    return leave(init(argc, argv, required, provided));                                                        \
  }                                                                                                            \
  EXPORT int shim_##prefix##Init(int* argc, char*** argv) __asm__(#prefix "Init");                             \
  int shim_##prefix##Init(int* argc, char*** argv) {                                                           \
    int (*init)(int*, char***) = NULL;                                                                         \
    int provided = 0;                                                                                          \
    *(void**)&init = shim_find(#prefix "Init");                                                                     \
    if (!init) return shim_missing(#prefix "Init");                                                                 \
    if (depth == 0 && wants_multiple(#prefix "Init_thread"))                                                   \
      return shim_##prefix##Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);                           \
    ++depth;                                                                                                   \
    return leave(init(argc, argv));                                                                            \
  }
COLLIO_DEFINE_INIT(MPI_)
COLLIO_DEFINE_INIT(PMPI_)
