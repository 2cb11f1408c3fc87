/* libcollio.so: what programs link with.
 *
 * Exports the functions of collio.h, knows no MPI library in particular, and depends on nothing but the C
 * library. At the first call it finds the process's MPI library and takes the engine of its family. If
 * collio is preloaded and has loaded that engine, it is used; if not, the one in this library's folder is
 * loaded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "capi/library.h"
#include "mpiio/shim/shim.h"

static pthread_once_t started_once = PTHREAD_ONCE_INIT;
static const struct collio_library* engine;
/* Why there is no engine. */
static char absent[PATH_MAX + 256] = "";

static void* load(const char* family) {
  char path[PATH_MAX];
  Dl_info here;
  snprintf(path, sizeof path, "libcollio_engine_%s.so", family);
  void* loaded = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (loaded || !dladdr(absent, &here) || !here.dli_fname) return loaded;
  const char* slash = strrchr(here.dli_fname, '/');
  snprintf(path, sizeof path, "%.*slibcollio_engine_%s.so", slash ? (int)(slash - here.dli_fname + 1) : 0,
           here.dli_fname, family);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void start(void) {
  collio_library_start_function start_engine = NULL;
  const char* library;
  const struct mpi_family* family = shim_family();
  if (!family || !shim_mpi_library(&library)) {
    snprintf(absent, sizeof absent, "no MPI library is loaded in this process");
    return;
  }
  dlopen(library, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL); /* the engine names no MPI library */
  void* loaded = load(family->name);
  if (loaded) *(void**)&start_engine = dlsym(loaded, COLLIO_LIBRARY_START);
  const struct collio_library* found = start_engine ? start_engine() : NULL;
  if (!found) {
    snprintf(absent, sizeof absent, "the engine cannot be loaded: %s", dlerror());
  } else if (strcmp(found->version, COLLIO_LIBRARY_VERSION) != 0) {
    snprintf(absent, sizeof absent,
             "the engine in this process is of collio %s, libcollio.so of %s; allowed: both of one build",
             found->version, COLLIO_LIBRARY_VERSION);
  } else {
    engine = found;
  }
}

static const struct collio_library* started(void) {
  pthread_once(&started_once, start);
  return engine;
}

EXPORT const char* collio_version(void) { return COLLIO_VERSION; }

EXPORT const char* collio_error_text(void) { return engine ? engine->error_text() : absent; }

#define COLLIO_FUNCTION(name, parameters, arguments) \
  EXPORT int collio_##name parameters { return started() ? engine->name arguments : COLLIO_ERR_OTHER; }
#include "capi/calls.def"
