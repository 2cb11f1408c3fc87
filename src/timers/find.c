/* Finds the functions behind this library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timers/timers.h"

/* In an object that is loaded, or in those it needs; null: not there, or this library's own. */
static void* find_in(const void* code, const char* name) {
  static const char here;
  Dl_info own, where, of;
  if (!dladdr(code, &where) || !where.dli_fname || !dladdr(&here, &own)) return NULL;
  void* object = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void* function = object ? dlsym(object, name) : NULL;
  if (object) dlclose(object);
  return function && dladdr(function, &of) && of.dli_fbase != own.dli_fbase ? function : NULL;
}

static int is_of_collio(const void* function) {
  Dl_info of;
  return dladdr(function, &of) && of.dli_fname && strstr(of.dli_fname, "libcollio");
}

static void keep(struct timed* timed, const void* caller, void* function) {
  struct found_function* one = malloc(sizeof *one);
  if (!one) return; /* it is looked for again */
  *one = (struct found_function){caller, function, __atomic_load_n(&timed->found, __ATOMIC_RELAXED)};
  while (!__atomic_compare_exchange_n(&timed->found, &one->next, one, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
}

void* timers_find(struct timed* timed, const char* name, const void* caller) {
  void* function = __atomic_load_n(&timed->everywhere, __ATOMIC_ACQUIRE);
  if (function) return function;
  for (const struct found_function* one = __atomic_load_n(&timed->found, __ATOMIC_ACQUIRE); one;
       one = one->next)
    if (one->caller == caller) return one->function;
  function = dlsym(RTLD_NEXT, name);
  if (function) {
    timed->by_collio = is_of_collio(function);
    __atomic_store_n(&timed->everywhere, function, __ATOMIC_RELEASE);
    return function;
  }
  function = find_in(caller, name);
  if (function)
    keep(timed, caller, function);
  else
    fprintf(stderr, "collio: no %s is loaded in this process\n", name);
  return function;
}

void* timers_beside(const void* function, const char* name) { return find_in(function, name); }

int timers_enter(struct collio_watched* watched) {
  static collio_watch_enter_function enter;
  if (!enter) *(void**)&enter = dlsym(RTLD_DEFAULT, COLLIO_WATCH_ENTER);
  return enter ? enter(watched) : -1;
}

void timers_leave(int number) {
  static collio_watch_leave_function leave;
  if (number < 0) return;
  if (!leave) *(void**)&leave = dlsym(RTLD_DEFAULT, COLLIO_WATCH_LEAVE);
  if (leave) leave(number);
}
