/* libcollio_mpiio.so: what is preloaded.
 *
 * Exports the MPI_ and PMPI_ names of the calls collio takes over (Open MPI's Fortran bindings call PMPI_),
 * knows no MPI library in particular, and depends on nothing but the C library, so it can be preloaded into
 * launchers, shells and interpreters alike. When MPI is initialized, which takes far longer, it finds the MPI
 * library and its family (shim_library.c), makes its symbols visible to the engine, and loads
 * libcollio_engine_FAMILY.so from its own folder. Without an engine every call passes through.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpiio/shim/calls.h"
#include "mpiio/shim/shim.h"
#include "mpiio/shim/shim_depth.h"
#include "mpiio/shim/shim_watch.h"

/* The functions behind this library, both names of each: a tool behind it may have the one and call the
 * other. */
static struct collio_calls real_MPI_calls, real_PMPI_calls;
/* Those of a tool's that stands behind this library, linked with the program or preloaded later; the others
 * are null. */
static struct collio_calls tool_MPI_calls, tool_PMPI_calls;
/* What the tool calls by MPI's profiling names comes to this library: then it may have the program's calls
   first, and sees what it would see without collio. A tool that looks for the next library's functions itself
   would go past. MPI_Init tells, or the first call of the engine's on a file that the tool has: `asked` is
   where the tool's function stands while it runs. */
static int initializing, tool_comes_back;
static __thread const void* asked;
static const struct collio_calls* engine;
/* The functions behind this library, as the engine calls them. */
static struct collio_calls behind_calls;
/* The engine gets the second. */
static struct collio_waits real_MPI_waits, real_PMPI_waits;
static const struct collio_waits* engine_waits;
static const int nothing_pending;
static const int* pending = &nothing_pending;
static pthread_once_t found_once = PTHREAD_ONCE_INIT;
static int found; /* each call looks */
static pthread_once_t started_once = PTHREAD_ONCE_INIT;
/* The program opens or closes a file. */
static __thread int no_file;
/* MPI is initialized. */
static int is_rank;
static void* engine_library;
/* Why the engine cannot be loaded; empty: it can, or nobody tried. */
static char absent[PATH_MAX + 256];

static void find_real(void) {
  struct shim_finder finder = {0};
#define COLLIO_CALL(name, parameters, arguments)                                  \
  *(void**)&real_MPI_calls.name = shim_find_with(&finder, "MPI_" #name);          \
  *(void**)&real_PMPI_calls.name = shim_find_with(&finder, "PMPI_" #name);        \
  if (!shim_same_object((void*)real_MPI_calls.name, (void*)real_PMPI_calls.name)) \
    tool_MPI_calls.name = real_MPI_calls.name;
#include "mpiio/shim/calls.def"
#undef COLLIO_CALL
#define COLLIO_WAIT(name, parameters, arguments)                         \
  *(void**)&real_MPI_waits.name = shim_find_with(&finder, "MPI_" #name); \
  *(void**)&real_PMPI_waits.name = shim_find_with(&finder, "PMPI_" #name);
#include "mpiio/shim/waits.def"
#undef COLLIO_WAIT
  shim_end_find(&finder);
  __atomic_store_n(&found, 1, __ATOMIC_RELEASE);
}

/* A call of the engine's goes to the tool as long as that may not come back with it. */
static const struct collio_calls* behind(const void* tool) {
  if (tool && !tool_comes_back) asked = tool;
  return tool_comes_back ? &real_PMPI_calls : &real_MPI_calls;
}

static int end_ask(int result) {
  asked = NULL;
  return result;
}

/* A call by a profiling name: the tool's, which has been asked. */
static void note_back(const void* tool) {
  if (asked != tool) return;
  tool_comes_back = 1;
  asked = NULL;
}

#define COLLIO_CALL(name, parameters, arguments)                          \
  static int behind_##name parameters {                                   \
    const void* tool = tool_MPI_calls.name ? &tool_MPI_calls.name : NULL; \
    return end_ask(behind(tool)->name arguments);                         \
  }
#include "mpiio/shim/calls.def"
#undef COLLIO_CALL

static void fill_behind(void) {
#define COLLIO_CALL(name, parameters, arguments) \
  behind_calls.name = real_MPI_calls.name ? behind_##name : NULL;
#include "mpiio/shim/calls.def"
#undef COLLIO_CALL
}

static void find_once(void) {
  if (!__atomic_load_n(&found, __ATOMIC_ACQUIRE)) pthread_once(&found_once, find_real);
}

/* For libcollio_job_view.so: whether the process is a rank, and a file that this thread opens now is opened
   by the program, not by the MPI library or the engine. */
EXPORT int collio_program_opens(void);
int collio_program_opens(void) { return is_rank && shim_depth == 0; }

/* The engine of the family, from the folder this library is in; null: `absent` says why. */
static collio_engine_start_function load_engine(const struct mpi_family* family) {
  Dl_info here;
  char path[PATH_MAX];
  collio_engine_start_function start = NULL;
  if (!dladdr(&real_MPI_calls, &here) || !here.dli_fname) return NULL;
  const char* slash = strrchr(here.dli_fname, '/');
  snprintf(path, sizeof path, "%.*slibcollio_engine_%s.so", slash ? (int)(slash - here.dli_fname + 1) : 0,
           here.dli_fname, family->name);
  engine_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (engine_library) *(void**)&start = dlsym(engine_library, COLLIO_ENGINE_START);
  if (!start) snprintf(absent, sizeof absent, "the engine cannot be loaded: %s", dlerror());
  return start;
}

static _Thread_local int at_init;

static void start_engine(void) {
  static struct collio_shim shim;
  const char* library;
  find_once();
  const struct mpi_family* family = shim_family();
  if (!real_MPI_calls.File_open || !family) return;
  if (shim_mpi_library(&library)) dlopen(library, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  const collio_engine_start_function start = load_engine(family);
  if (!start) return;
  fill_behind();
  shim.calls = &behind_calls;
  shim.waits = &real_PMPI_waits;
  shim.own = shim_own;
  shim.at_init = at_init;
  shim.above = &shim_tell_above;
  const struct collio_engine* answer = start(&shim);
  engine_waits = answer->waits;
  pending = answer->pending;
  engine = answer->calls;
  shim_note_engine();
}

void* shim_engine_symbol(const char* name) {
  pthread_once(&started_once, start_engine);
  return engine ? dlsym(engine_library, name) : NULL;
}

static int leave(int result) {
  if (--shim_depth == 0) {
    const int closed = no_file;
    no_file = 0;
    if (shim_handlers_waiting > 0) shim_run_handlers(closed);
  }
  return result;
}

/* Behind the outermost MPI_Init: a first open need not wait for the engine then. An MPI library that was
 * loaded privately becomes visible to all (start_engine), so there it waits for a file to be opened. */
static void start_at_init(int initialized) {
  is_rank |= initialized;
  if (!initialized || shim_depth != 1 || !dlsym(RTLD_DEFAULT, "PMPI_Get_library_version")) return;
  at_init = 1;
  pthread_once(&started_once, start_engine);
  at_init = 0;
}

/* A call of the program's own to MPI_File_open is where collio begins. */
static void before_File_open(void) {
  if (shim_depth > 0) return;
  pthread_once(&started_once, start_engine);
  is_rank = 1;
  shim_note_open();
  no_file = 1;
}

/* Without an open before: the file may be one that only the engine can delete whole. */
static void before_File_delete(void) {
  if (shim_depth == 0) pthread_once(&started_once, start_engine);
}

static void before_File_close(void) {
  if (shim_depth == 0) no_file = 1;
}

/* The table a call goes to: the engine's, once there is one and the call is the program's own. */
#define TABLE(prefix) (shim_depth == 0 && engine ? engine : &real_##prefix##calls)
#define ENTER(prefix) (shim_depth++ == 0 && engine ? engine : &real_##prefix##calls)

/* A call of the program's own that a tool is to have first. */
#define TOOL_FIRST(prefix, name) \
  (find_once(), shim_depth == 0 && tool_comes_back && tool_##prefix##calls.name)

/* For a report: whether a call of the program's begins. */
static int begins(const void* frame) { return shim_watching && shim_depth == 0 && shim_io_begins(frame); }

/* Data of a call; 0 where MPI does not know. */
static long long bytes_of(long long count, handle type) {
  static int (*size_of)(handle, MPI_Count*);
  MPI_Count size = 0;
  if (!size_of) *(void**)&size_of = shim_find("PMPI_Type_size_x");
  return size_of && size_of(type, &size) == MPI_SUCCESS && size > 0 ? count * size : 0;
}

/* It is over; handlers of errors come behind this, and may call again. `bytes`: looked at only of a data call
   of a single rank that moved its data: MPI may end the job for MPI_DATATYPE_NULL. */
#define END(timed, result, alone, bytes) \
  if (timed) shim_io_ended(alone, (alone) && (result) == MPI_SUCCESS ? (bytes) : 0)

#define NOTE_MPI_(name)
#define NOTE_PMPI_(name) note_back(&tool_MPI_calls.name)

/* `bytes`: of a data call of a single rank, else 0. */
#define COLLIO_DEFINE(prefix, name, parameters, arguments, alone, bytes)                  \
  EXPORT int shim_##prefix##name parameters __asm__(#prefix #name);                       \
  int shim_##prefix##name parameters {                                                    \
    if (TOOL_FIRST(prefix, name)) return tool_##prefix##calls.name arguments;             \
    NOTE_##prefix(name);                                                                  \
    const int timed = begins(__builtin_frame_address(0));                                 \
    before_##name();                                                                      \
    const struct collio_calls* calls = ENTER(prefix);                                     \
    const int result = calls->name ? calls->name arguments : shim_missing(#prefix #name); \
    END(timed, result, alone, bytes);                                                     \
    return leave(result);                                                                 \
  }
#define COLLIO_DEFINE_BOTH(name, parameters, arguments, alone, bytes) \
  static inline void before_##name(void) {}                           \
  COLLIO_DEFINE(MPI_, name, parameters, arguments, alone, bytes)      \
  COLLIO_DEFINE(PMPI_, name, parameters, arguments, alone, bytes)
#define COLLIO_CALL(name, parameters, arguments) COLLIO_DEFINE_BOTH(name, parameters, arguments, 0, 0)
#define COLLIO_INDEPENDENT(name, parameters, arguments) \
  COLLIO_DEFINE_BOTH(name, parameters, arguments, 1, bytes_of(count, type))
#define COLLIO_SHARED COLLIO_INDEPENDENT
/* Where the MPI library is older than large counts, and collio does not do the call itself, this is the call
 * with an int. A program that serves older libraries too, as mpi4py's wheels do, takes this library's name
 * for one of theirs. */
#define COLLIO_DEFINE_LARGE(prefix, name, parameters, arguments, alone)                                \
  EXPORT int shim_##prefix##name##_c parameters __asm__(#prefix #name "_c");                           \
  int shim_##prefix##name##_c parameters {                                                             \
    if (TOOL_FIRST(prefix, name##_c)) return tool_##prefix##calls.name##_c arguments;                  \
    NOTE_##prefix(name##_c);                                                                           \
    if (!TABLE(prefix)->name##_c && count == (int)count) return shim_##prefix##name arguments;         \
    const int timed = begins(__builtin_frame_address(0));                                              \
    const struct collio_calls* calls = ENTER(prefix);                                                  \
    const int result = calls->name##_c ? calls->name##_c arguments : shim_missing(#prefix #name "_c"); \
    END(timed, result, alone, bytes_of(count, type));                                                  \
    return leave(result);                                                                              \
  }
#define ALONE_COLLIO_CALL 0
#define ALONE_COLLIO_INDEPENDENT 1
#define COLLIO_LARGE(kind, name, parameters, arguments)                \
  COLLIO_DEFINE_LARGE(MPI_, name, parameters, arguments, ALONE_##kind) \
  COLLIO_DEFINE_LARGE(PMPI_, name, parameters, arguments, ALONE_##kind)
#define COLLIO_WITHOUT_FILES
#include "mpiio/shim/calls.def"
#undef COLLIO_SHARED

#define COLLIO_DEFINE_OPEN(prefix)                                                                          \
  EXPORT int shim_##prefix##File_open(handle comm, const char* path, int mode, handle info,                 \
                                      MPI_File* file) __asm__(#prefix "File_open");                         \
  int shim_##prefix##File_open(handle comm, const char* path, int mode, handle info, MPI_File* file) {      \
    if (TOOL_FIRST(prefix, File_open)) return tool_##prefix##calls.File_open(comm, path, mode, info, file); \
    NOTE_##prefix(File_open);                                                                               \
    const int timed = begins(__builtin_frame_address(0));                                                   \
    before_File_open();                                                                                     \
    const struct collio_calls* calls = ENTER(prefix);                                                       \
    const int result = calls->File_open ? calls->File_open(comm, path, mode, info, file)                    \
                                        : shim_missing(#prefix "File_open");                                \
    if (*absent && shim_depth == 1 && shim_tell_absent(comm, path, mode, result == MPI_SUCCESS, absent)) {  \
      calls->File_close(file);                                                                              \
      END(timed, result, 0, 0);                                                                             \
      return leave(shim_family()->err_other);                                                               \
    }                                                                                                       \
    END(timed, result, 0, 0);                                                                               \
    return leave(result);                                                                                   \
  }
COLLIO_DEFINE_OPEN(MPI_)
COLLIO_DEFINE_OPEN(PMPI_)
COLLIO_DEFINE(MPI_, File_close, (MPI_File * file), (file), 0, 0)
COLLIO_DEFINE(PMPI_, File_close, (MPI_File * file), (file), 0, 0)
COLLIO_DEFINE(MPI_, File_delete, (const char* path, handle info), (path, info), 0, 0)
COLLIO_DEFINE(PMPI_, File_delete, (const char* path, handle info), (path, info), 0, 0)

/* While nothing of the engine's is under way, completing a request costs one look at a number more. */
#define COLLIO_DEFINE_WAIT(prefix, name, parameters, arguments)                                           \
  EXPORT int shim_##prefix##name parameters __asm__(#prefix #name);                                       \
  int shim_##prefix##name parameters {                                                                    \
    if (shim_depth == 0 && __atomic_load_n(pending, __ATOMIC_RELAXED) != 0) {                             \
      ++shim_depth;                                                                                       \
      return leave(engine_waits->name arguments);                                                         \
    }                                                                                                     \
    find_once();                                                                                          \
    return real_##prefix##waits.name ? real_##prefix##waits.name arguments : shim_missing(#prefix #name); \
  }
#define COLLIO_WAIT(name, parameters, arguments)        \
  COLLIO_DEFINE_WAIT(MPI_, name, parameters, arguments) \
  COLLIO_DEFINE_WAIT(PMPI_, name, parameters, arguments)
#include "mpiio/shim/waits.def"
#undef COLLIO_WAIT

/* COLLIO_THREADS=multiple: the program's MPI is initialized with MPI_THREAD_MULTIPLE, whatever the program
   asks for, so that its nonblocking calls progress while it computes. The level to ask for. */
static int threads_wanted(int required) {
  const char* threads = secure_getenv("COLLIO_THREADS");
  const struct mpi_family* family = threads && *threads ? shim_family() : NULL;
  if (!family) return required;
  if (strcmp(threads, "multiple") == 0) return family->thread_multiple;
  if (shim_speaks()) fprintf(stderr, "collio: COLLIO_THREADS is '%s'; allowed: multiple; ignored\n", threads);
  return required;
}

static void note_init(const char* prefix) {
  shim_note_init();
  if (*prefix == 'P' && initializing) tool_comes_back = 1;
  initializing = *prefix != 'P';
}

#define COLLIO_DEFINE_INIT(prefix)                                                       \
  EXPORT int shim_##prefix##Init_thread(int* argc, char*** argv, int required,           \
                                        int* provided) __asm__(#prefix "Init_thread");   \
  int shim_##prefix##Init_thread(int* argc, char*** argv, int required, int* provided) { \
    int (*init)(int*, char***, int, int*) = NULL;                                        \
    shim_note_initializer(__builtin_return_address(0));                                  \
    *(void**)&init = shim_find(#prefix "Init_thread");                                   \
    if (!init) return shim_missing(#prefix "Init_thread");                               \
    note_init(#prefix);                                                                  \
    if (shim_depth++ == 0) required = threads_wanted(required);                          \
    const int result = init(argc, argv, required, provided);                             \
    start_at_init(result == MPI_SUCCESS);                                                \
    return leave(result);                                                                \
  }                                                                                      \
  EXPORT int shim_##prefix##Init(int* argc, char*** argv) __asm__(#prefix "Init");       \
  int shim_##prefix##Init(int* argc, char*** argv) {                                     \
    int (*init)(int*, char***) = NULL;                                                   \
    int provided = 0;                                                                    \
    shim_note_initializer(__builtin_return_address(0));                                  \
    *(void**)&init = shim_find(#prefix "Init");                                          \
    if (!init) return shim_missing(#prefix "Init");                                      \
    note_init(#prefix);                                                                  \
    const int level = shim_depth == 0 ? threads_wanted(-1) : -1;                         \
    if (level != -1) return shim_##prefix##Init_thread(argc, argv, level, &provided);    \
    ++shim_depth;                                                                        \
    const int result = init(argc, argv);                                                 \
    start_at_init(result == MPI_SUCCESS);                                                \
    return leave(result);                                                                \
  }
COLLIO_DEFINE_INIT(MPI_)
COLLIO_DEFINE_INIT(PMPI_)
