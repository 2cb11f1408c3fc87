/* HDF5's functions of which more is reported than their time. */
#include <stddef.h>
#include <stdint.h>

#include "timers/timers.h"

typedef int64_t hid;
enum { select_set = 0 };

typedef int (*ask_cause)(hid transfer, uint32_t* local, uint32_t* global);

/* The library's function that says so; null: it does not have one. */
static ask_cause ask_of(const void* library) {
  static __thread struct {
    unsigned long long as_of;
    const void* library;
    ask_cause ask;
  } last;
  const unsigned long long now = timers_changes();
  if (last.library != library || last.as_of != now) {
    last.as_of = now;
    last.library = library;
    *(void**)&last.ask = timers_beside(library, "H5Pget_mpio_no_collective_cause");
  }
  return last.ask;
}

/* Whether the transfer that is over was collective, and if not, why; nothing is known without a list of
   properties (0). `real`: its function in the library. */
static void note_cause(struct timed* timed, const void* real, hid transfer) {
  uint32_t local = 0, global = 0;
  const ask_cause ask = transfer ? ask_of(real) : NULL;
  if (!ask || ask(transfer, &local, &global) < 0 || !global) return;
  __atomic_fetch_add(&timed->watched.not_collective, 1, __ATOMIC_RELAXED);
  __atomic_fetch_or(&timed->watched.causes, global, __ATOMIC_RELAXED);
}

/* A transfer of data. */
#define COLLIO_TRANSFER(function, parameters, arguments)                          \
  EXPORT int function parameters;                                                 \
  int function parameters {                                                       \
    static struct timed timed = {.watched = {.name = #function}};                 \
    int(*real) parameters;                                                        \
    *(void**)&real = timers_find(&timed, #function, __builtin_return_address(0)); \
    if (!real) return -1;                                                         \
    const int number = timers_enter(&timed.watched, __builtin_frame_address(0));  \
    const int code = real arguments;                                              \
    timers_leave(number);                                                         \
    if (number >= 0 && code >= 0) note_cause(&timed, *(void**)&real, transfer);   \
    return code;                                                                  \
  }
COLLIO_TRANSFER(H5Dwrite, (hid dataset, hid type, hid memory, hid place, hid transfer, const void* data),
                (dataset, type, memory, place, transfer, data))
COLLIO_TRANSFER(H5Dread, (hid dataset, hid type, hid memory, hid place, hid transfer, void* data),
                (dataset, type, memory, place, transfer, data))
COLLIO_TRANSFER(H5Dwrite_multi,
                (size_t count, hid* datasets, hid* types, hid* memory, hid* places, hid transfer,
                 const void** data),
                (count, datasets, types, memory, places, transfer, data))
COLLIO_TRANSFER(H5Dread_multi,
                (size_t count, hid* datasets, hid* types, hid* memory, hid* places, hid transfer,
                 void** data),
                (count, datasets, types, memory, places, transfer, data))

/* Selections that are combined with earlier ones count apart: their cost grows with what is selected. */
#define COLLIO_SELECTION(function, parameters, arguments)                                         \
  EXPORT int function parameters;                                                                 \
  int function parameters {                                                                       \
    static struct timed timed = {.watched = {.name = #function}};                                 \
    static struct collio_watched combined = {.name = #function ", combined"};                     \
    int(*real) parameters;                                                                        \
    *(void**)&real = timers_find(&timed, #function, __builtin_return_address(0));                 \
    if (!real) return -1;                                                                         \
    const int number =                                                                            \
        timers_enter(how == select_set ? &timed.watched : &combined, __builtin_frame_address(0)); \
    const int code = real arguments;                                                              \
    timers_leave(number);                                                                         \
    return code;                                                                                  \
  }
typedef const unsigned long long* sizes;
COLLIO_SELECTION(H5Sselect_hyperslab,
                 (hid space, int how, sizes start, sizes stride, sizes count, sizes block),
                 (space, how, start, stride, count, block))
COLLIO_SELECTION(H5Sselect_elements, (hid space, int how, size_t count, sizes coordinates),
                 (space, how, count, coordinates))
