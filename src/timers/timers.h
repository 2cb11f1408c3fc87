/* What the parts of libcollio_timers.so share. */
#ifndef COLLIO_TIMERS_TIMERS_H
#define COLLIO_TIMERS_TIMERS_H

#include "mpiio/shim/shim_watch.h"

#define EXPORT __attribute__((visibility("default")))

/* A function of one call site's library: an interpreter may have loaded several, each for an extension of its
   own. */
struct found_function {
  const void* caller;
  void* function;
  struct found_function* next;
};
/* A timed function. `everywhere`: what all callers find; null: each finds its own. `by_collio`: that is
   collio's, as of its PIO, whose calls the engine reports. */
struct timed {
  struct collio_watched watched;
  void* everywhere;
  int by_collio;
  struct found_function* found;
};

/* The library's function for code at `caller`; null: there is none, and it is said. Not collective.
   Thread-safe. */
void* timers_find(struct timed* timed, const char* name, const void* caller);
/* Another function of the object that has `function`; null: it has none. */
void* timers_beside(const void* function, const char* name);

/* See shim_watch.h; without the shim nothing is counted. */
int timers_enter(struct collio_watched* watched);
void timers_leave(int number);

#endif
