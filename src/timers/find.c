/* Finds the functions behind this library.
 *
 * As a rule one loaded library has the function, and all callers mean that. Extensions of an interpreter may
 * bring several: a caller means that of its own object if the symbols have versions, else the one that the
 * whole process sees, else its own. What is found is not kept beyond the next load or unload.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timers/timers.h"

enum { most_objects = 1024, most_libraries = 4 };

static const void* base_of(const void* code) {
  Dl_info of;
  return dladdr(code, &of) ? of.dli_fbase : NULL;
}

static int is_own(const void* function) {
  static const char here;
  return base_of(function) == base_of(&here);
}

/* In an object that is loaded, or in those it needs; null: it is not there, or this library's own. */
static void* find_in(const char* object_name, const char* name) {
  void* object = dlopen(object_name, RTLD_LAZY | RTLD_NOLOAD);
  void* function = object ? dlsym(object, name) : NULL;
  if (object) dlclose(object);
  return function && !is_own(function) ? function : NULL;
}

static void* find_beside(const void* code, const char* name) {
  Dl_info of;
  return dladdr(code, &of) && of.dli_fname ? find_in(of.dli_fname, name) : NULL;
}

struct objects {
  int count;
  char* names[most_objects];
};

static int note_object(struct dl_phdr_info* info, size_t size, void* data) {
  struct objects* found = data;
  (void)size;
  if (*info->dlpi_name && found->count < most_objects &&
      (found->names[found->count] = strdup(info->dlpi_name)))
    ++found->count;
  return 0;
}

/* Different functions of this name in the process: how many, up to `most_libraries`. */
static int find_all(const char* name, void* functions[]) {
  struct objects* objects = calloc(1, sizeof *objects);
  int count = 0;
  if (!objects) return 0;
  dl_iterate_phdr(note_object, objects);
  for (int i = 0; i < objects->count; ++i) {
    void* function = find_in(objects->names[i], name);
    free(objects->names[i]);
    int known = !function || count == most_libraries;
    for (int k = 0; k < count; ++k) known |= functions[k] == function;
    if (!known) functions[count++] = function;
  }
  free(objects);
  return count;
}

static int note_changes(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  *(unsigned long long*)data = info->dlpi_adds + info->dlpi_subs;
  return 1;
}

unsigned long long timers_changes(void) {
  unsigned long long number = 0;
  dl_iterate_phdr(note_changes, &number);
  return number;
}

static int note_versions(struct dl_phdr_info* info, size_t size, void* data) {
  const void** base = data;
  (void)size;
  if ((const void*)info->dlpi_addr != *base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      for (const ElfW(Dyn)* entry = (const void*)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
           entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_VERDEF) *base = NULL;
  return 1;
}

/* Whether the symbols of the function's library have versions. */
static int has_versions(const void* function) {
  const void* base = base_of(function);
  if (base) dl_iterate_phdr(note_versions, &base);
  return base == NULL;
}

static void* of_caller(const char* name, const void* caller, void* first) {
  void *own = find_beside(caller, name), *common = dlsym(RTLD_NEXT, name);
  if (own && (!common || has_versions(own))) return own;
  return common ? common : first;
}

static int is_of_collio(const void* function) {
  Dl_info of;
  if (!dladdr(function, &of) || !of.dli_fname) return 0;
  const char* slash = strrchr(of.dli_fname, '/');
  return strncmp(slash ? slash + 1 : of.dli_fname, "libcollio", strlen("libcollio")) == 0;
}

void* timers_find(struct timed* timed, const char* name, const void* caller) {
  const unsigned long long now = timers_changes();
  void* functions[most_libraries];
  if (__atomic_load_n(&timed->as_of, __ATOMIC_ACQUIRE) == now)
    return __atomic_load_n(&timed->only, __ATOMIC_RELAXED);
  const int count = find_all(name, functions);
  if (!count) {
    fprintf(stderr, "collio: no %s is loaded in this process\n", name);
    return NULL;
  }
  timed->by_collio = is_of_collio(functions[0]);
  if (count > 1) return of_caller(name, caller, functions[0]);
  __atomic_store_n(&timed->only, functions[0], __ATOMIC_RELAXED);
  __atomic_store_n(&timed->as_of, now, __ATOMIC_RELEASE);
  return functions[0];
}

void* timers_beside(const void* function, const char* name) { return find_beside(function, name); }

int timers_enter(struct collio_watched* watched, const void* frame) {
  static collio_watch_enter_function enter;
  if (!enter) *(void**)&enter = dlsym(RTLD_DEFAULT, COLLIO_WATCH_ENTER);
  return enter ? enter(watched, frame) : -1;
}

void timers_leave(int number) {
  static collio_watch_leave_function leave;
  if (number < 0) return;
  if (!leave) *(void**)&leave = dlsym(RTLD_DEFAULT, COLLIO_WATCH_LEAVE);
  if (leave) leave(number);
}
