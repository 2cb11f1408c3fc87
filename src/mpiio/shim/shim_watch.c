/* See shim_watch.h. */
#define _GNU_SOURCE
#include "mpiio/shim/shim_watch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpiio/shim/shim.h"

enum { most_nested = 16 };

/* A function that has begun on this thread. `frame`: where it is on the stack: those that longjmp() or an
   exception left are below what runs now. */
struct begun {
  struct collio_watched* function;
  const char* frame;
  long long at, inside, io; /* ns; inside: in functions and MPI-IO that it called itself */
};
static __thread struct begun nested[most_nested];
static __thread int depth;
int shim_watching;
void (*shim_tell_above)(const char* name);
static __thread long long io_at;
static struct collio_watched* all;
/* Of the program's own calls of MPI-IO. */
static struct collio_watched program = {.name = ""};

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void add(long long* sum, long long more) { __atomic_fetch_add(sum, more, __ATOMIC_RELAXED); }

static void list(struct collio_watched* function) {
  if (__atomic_exchange_n(&function->listed, 1, __ATOMIC_RELAXED)) return;
  function->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&all, &function->next, function, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
}

__attribute__((constructor)) static void find_wish(void) {
  shim_watching = secure_getenv("COLLIO_EXITS") && secure_getenv("COLLIO_REPORT");
}

static int same_library(const struct collio_watched* one, const struct collio_watched* other) {
  return strncmp(one->name, other->name, 2) == 0;
}

static void tell_above(const char* name) {
  if (shim_tell_above) shim_tell_above(name);
}

static void drop_left(const void* frame) {
  if (!depth) return;
  while (depth && nested[depth - 1].frame <= (const char*)frame) --depth;
  if (!depth) tell_above(NULL);
}

EXPORT int collio_watch_enter(struct collio_watched*, const void*);
int collio_watch_enter(struct collio_watched* function, const void* frame) {
  if (!shim_watching || io_at) return -1;
  drop_left(frame);
  if (depth == most_nested || (depth && same_library(nested[depth - 1].function, function))) return -1;
  list(function);
  if (!depth) tell_above(function->name);
  nested[depth] = (struct begun){function, frame, now(), 0, 0};
  return depth++;
}

EXPORT void collio_watch_leave(int);
void collio_watch_leave(int number) {
  if (number < 0 || number >= depth) return;
  const struct begun* ended = &nested[number];
  const long long took = now() - ended->at;
  depth = number;
  add(&ended->function->calls, 1);
  add(&ended->function->ns, took);
  add(&ended->function->own_ns, took - ended->inside);
  add(&ended->function->io_ns, ended->io);
  if (!number) return tell_above(NULL);
  nested[number - 1].inside += took;
  nested[number - 1].io += ended->io;
}

int shim_io_begins(const void* frame) {
  drop_left(frame);
  io_at = now();
  return 1;
}

void shim_io_ended(int alone, long long bytes) {
  const long long took = now() - io_at;
  io_at = 0;
  if (depth) {
    nested[depth - 1].inside += took;
    nested[depth - 1].io += took;
  }
  if (!alone) return;
  struct collio_watched* by = depth ? nested[0].function : &program;
  list(by);
  add(&by->alone_calls, 1);
  add(&by->alone_ns, took);
  add(&by->alone_bytes, bytes);
}

const struct collio_watched* shim_watched(void) { return __atomic_load_n(&all, __ATOMIC_ACQUIRE); }
