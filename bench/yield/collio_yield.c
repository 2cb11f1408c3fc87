/* libcollio_yield.so: a preload that makes an MPICH process give its core away while it waits.
 *
 * Problem: with more ranks than cores a rank that polls in a loop keeps the core from the rank it waits for.
 * Debian's MPICH (device ch4:ucx) polls for ever, whatever its settings. A benchmark against it on a small
 * machine would measure the scheduler's time slices; with this preload it measures MPICH. Method: stand in
 * front of ucp_worker_progress, the one call every such poll makes. After IDLE_POLLS polls in a row that
 * found nothing, each further one takes a nap first. COLLIO_YIELD_NS (default 1000) is its length in ns; 0:
 * sched_yield. MPICH with device ch4:ofi reaches its network through tables of functions; see README.md for
 * what is done there. */
#include "ucx.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IDLE_POLLS = 20, DEFAULT_NAP_NS = 1000, LONGEST_NAP_NS = 999999999 };

typedef unsigned (*progress_function)(void* worker);

static _Atomic(progress_function) real_progress;
static pthread_once_t settings_once = PTHREAD_ONCE_INIT;
static long nap_ns = DEFAULT_NAP_NS;
static _Thread_local unsigned idle_polls;

static void read_settings(void) {
  const char* text = getenv("COLLIO_YIELD_NS");
  if (text == NULL || *text == '\0') return;
  char* end = NULL;
  errno = 0;
  const long value = strtol(text, &end, 10);
  if (errno != 0 || *end != '\0' || value < 0 || value > LONGEST_NAP_NS) {
    fprintf(stderr, "collio_yield: COLLIO_YIELD_NS is '%s'; allowed: 0 to %d; using %d\n", text,
            LONGEST_NAP_NS, DEFAULT_NAP_NS);
    return;
  }
  nap_ns = value;
}

/* Two threads may both look it up: they find and store the same address. */
static progress_function find_progress(void) {
  /* A data pointer from dlsym becomes a function pointer by copying: C knows no conversion between the two.
   */
  progress_function function = NULL;
  void* symbol = find_ucp("ucp_worker_progress");
  memcpy(&function, &symbol, sizeof function);
  atomic_store_explicit(&real_progress, function, memory_order_release);
  return function;
}

static void nap(void) {
  const int saved = errno;
  if (nap_ns == 0) {
    sched_yield();
  } else {
    const struct timespec length = {0, nap_ns};
    nanosleep(&length, NULL); /* cut short by a signal: just a shorter nap */
  }
  errno = saved;
}

unsigned ucp_worker_progress(void* worker) {
  progress_function progress = atomic_load_explicit(&real_progress, memory_order_acquire);
  if (progress == NULL) {
    pthread_once(&settings_once, read_settings);
    progress = find_progress();
  }
  remember_worker(worker);
  const unsigned events = progress(worker);
  if (events != 0)
    idle_polls = 0;
  else if (idle_polls < IDLE_POLLS)
    ++idle_polls;
  else
    nap();
  return events;
}
