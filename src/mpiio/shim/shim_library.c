/* The process's MPI library: where its functions are, and of which family it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpiio/shim/shim.h"

enum { most_objects = 32 };

/* Loaded objects that may be an MPI library, by their names. */
struct objects {
  int count;
  char* names[most_objects];
  const void* bases[most_objects];
};

static int note_object(struct dl_phdr_info* info, size_t size, void* data) {
  struct objects* found = data;
  const char* slash = strrchr(info->dlpi_name, '/');
  (void)size;
  if (!strstr(slash ? slash : info->dlpi_name, "mpi") || found->count == most_objects) return 0;
  found->names[found->count] = strdup(info->dlpi_name);
  if (found->names[found->count]) found->bases[found->count++] = (const void*)info->dlpi_addr;
  return 0;
}

/* Whether it has the function itself, not one of the libraries it needs. */
static int defines(void* object, const void* base, const char* name) {
  Dl_info where;
  void* function = dlsym(object, name);
  return function && dladdr(function, &where) && where.dli_fbase == base;
}

static int is_mpi_library(void* object, const void* base) {
  return defines(object, base, "PMPI_Init") && defines(object, base, "PMPI_Get_library_version");
}

static int is_initialized(void* library) {
  int (*initialized)(int*) = NULL;
  int answer = 0;
  *(void**)&initialized = dlsym(library, "PMPI_Initialized");
  return initialized && initialized(&answer) == 0 && answer;
}

/* Code that calls MPI_Init; null: none did yet. */
static const void* initializer;

void shim_note_initializer(const void* code) {
  if (!initializer) initializer = code;
}

/* Whether the object that calls MPI_Init finds its MPI functions in the library at `base`. */
static int is_initializers(const void* base) {
  Dl_info of;
  if (!initializer || !dladdr(initializer, &of) || !of.dli_fname) return 0;
  void* object = dlopen(of.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  const int found = object && dladdr(dlsym(object, "PMPI_Get_library_version"), &of) && of.dli_fbase == base;
  if (object) dlclose(object);
  return found;
}

/* An MPI library that was loaded privately, as an interpreter's extension does, or before this library, as
   where another library needs this one: no search from here reaches it. Of several it is the one that is
   initialized, else that of the object which calls MPI_Init, else the first. A tool has MPI_Init, but not
   PMPI_Init; collio's preloaded library has both, but does not say its version. */
static void* open_private(void) {
  static const char here;
  struct objects found = {0};
  Dl_info own;
  void* library = NULL;
  int best = -1;
  if (!dladdr(&here, &own)) own.dli_fbase = NULL;
  dl_iterate_phdr(note_object, &found);
  for (int i = 0; i < found.count; ++i) {
    void* object = found.bases[i] == own.dli_fbase ? NULL : dlopen(found.names[i], RTLD_LAZY | RTLD_NOLOAD);
    free(found.names[i]);
    if (!object) continue;
    const int worth = !is_mpi_library(object, found.bases[i]) ? -1
                      : is_initialized(object)                ? 2
                                                              : is_initializers(found.bases[i]);
    void* worse = worth > best ? library : object;
    if (worth > best) {
      library = object;
      best = worth;
    }
    if (worse) dlclose(worse);
  }
  return library;
}

static void* search(void* from, const char* name) {
  char profiling[64];
  void* function = dlsym(from, name);
  if (function) return function;
  snprintf(profiling, sizeof profiling, "P%s", name);
  return dlsym(from, profiling);
}

void* shim_find_with(struct shim_finder* finder, const char* name) {
  void* function = search(RTLD_NEXT, name);
  if (function) return function;
  if (!finder->looked) finder->library = open_private();
  finder->looked = 1;
  return finder->library ? search(finder->library, name) : NULL;
}

void shim_end_find(struct shim_finder* finder) {
  if (finder->library) dlclose(finder->library);
}

void* shim_find(const char* name) {
  struct shim_finder finder = {0};
  void* function = shim_find_with(&finder, name);
  shim_end_find(&finder);
  return function;
}

/* An address, and what the object that has it takes. */
struct span {
  uintptr_t address, begin, end;
};

static int note_span(struct dl_phdr_info* info, size_t size, void* data) {
  struct span* span = data;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  int has_it = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    const uintptr_t to = from + info->dlpi_phdr[i].p_memsz;
    if (from < begin) begin = from;
    if (to > end) end = to;
    if (span->address >= from && span->address < to) has_it = 1;
  }
  if (!has_it) return 0;
  span->begin = begin;
  span->end = end;
  return 1;
}

/* dladdr() would look at every symbol of the object: 5 us for each function of an MPI library. */
int shim_same_object(const void* one, const void* other) {
  struct span span = {(uintptr_t)one, 0, 0};
  const uintptr_t second = (uintptr_t)other;
  return one && other && dl_iterate_phdr(note_span, &span) && second >= span.begin && second < span.end;
}

int shim_mpi_library(const char** path) {
  Dl_info mpi;
  void* version = shim_find("PMPI_Get_library_version");
  if (!version || !dladdr(version, &mpi) || !mpi.dli_fname) return 0;
  *path = mpi.dli_fname;
  return 1;
}

static const struct mpi_family families[] = {
#define NUMBER(value) {value, NULL}
#define SYMBOL(name) {0, #name}
#define COLLIO_FAMILY(name, ...) {#name, __VA_ARGS__},
#include "mpiio/shim/families.def"
#undef COLLIO_FAMILY
};

static const struct mpi_family* family_named(const char* name) {
  for (size_t i = 0; i < sizeof families / sizeof *families; ++i)
    if (strcmp(families[i].name, name) == 0) return &families[i];
  return NULL;
}

/* A library may have the function, and say that it does not speak the ABI. */
static int speaks_standard_abi(void* library) {
  int (*get_version)(int*, int*) = NULL;
  int major = -1, minor = -1;
  *(void**)&get_version = dlsym(library, "PMPI_Abi_get_version");
  if (!get_version) *(void**)&get_version = dlsym(library, "MPI_Abi_get_version");
  return get_version && get_version(&major, &minor) == 0 && major >= 1;
}

const struct mpi_family* shim_family(void) {
  const char* path;
  void* library = shim_mpi_library(&path) ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!library) return NULL;
  const char* name = speaks_standard_abi(library)           ? "abi"
                     : dlsym(library, "ompi_mpi_comm_self") ? "openmpi"
                                                            : "mpich";
  dlclose(library);
  return family_named(name);
}

/* A program that is no position-independent code has a copy of the variable, which the MPI library uses, too.
 * No search behind this library finds it. */
static void* find_variable(const char* name) {
  void* copy = dlsym(RTLD_DEFAULT, name);
  return copy ? copy : shim_find(name);
}

handle shim_constant(const struct mpi_constant* constant) {
  return constant->symbol ? find_variable(constant->symbol) : (handle)constant->number;
}
