/* What the parts of libcollio_timers.so share. */
#ifndef COLLIO_TIMERS_TIMERS_H
#define COLLIO_TIMERS_TIMERS_H

#include "mpiio/shim/shim_watch.h"

#define EXPORT __attribute__((visibility("default")))

/* A timed function. `only`: the one function of this name in the process, as of that number of loads and
   unloads; `by_collio`: it is collio's, as of its PIO, whose calls the engine reports. */
struct timed {
  struct collio_watched watched;
  unsigned long long as_of;
  void* only;
  int by_collio;
};

/* The library's function for code at `caller`; null: there is none, and it is said. Not collective.
   Thread-safe. */
void* timers_find(struct timed* timed, const char* name, const void* caller);
/* Another function of the object that has `function`; null: it has none. */
void* timers_beside(const void* function, const char* name);

/* Another number whenever an object is loaded or unloaded. */
unsigned long long timers_changes(void);

/* See shim_watch.h; without the shim nothing is counted. */
int timers_enter(struct collio_watched* watched, const void* frame);
void timers_leave(int number);

#endif
