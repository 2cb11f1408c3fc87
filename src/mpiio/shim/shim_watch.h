/* Times of functions above MPI-IO (HDF5's, netCDF's, PnetCDF's, PIO's), and which part of them went into
 * MPI-IO. libcollio_timers.so calls this for such functions, the shim for MPI-IO's. Off unless a report is
 * written.
 *
 * A function inside another of the same library is that one's business, and not counted.
 */
#ifndef COLLIO_MPIIO_SHIM_WATCH_H
#define COLLIO_MPIIO_SHIM_WATCH_H

/* A function that is watched; all but the name begins as zeros. Times in ns, added up over threads. */
struct collio_watched {
  const char* name;
  long long calls, ns;
  long long own_ns;                             /* neither in another one inside nor in MPI-IO */
  long long io_ns;                              /* in MPI-IO, or what collio does in its place */
  long long alone_calls, alone_ns, alone_bytes; /* of these, in data calls of single ranks */
  long long not_collective;                     /* calls that the library did not do collectively */
  unsigned causes;                              /* why, in bits of the library's */
  int listed;
  struct collio_watched* next;
};

/* The function, whose frame on the stack this is, begins: a number for its end, -1 where it is not counted.
 */
typedef int (*collio_watch_enter_function)(struct collio_watched* function, const void* frame);
int collio_watch_enter(struct collio_watched* function, const void* frame);
#define COLLIO_WATCH_ENTER "collio_watch_enter"

typedef void (*collio_watch_leave_function)(int number);
void collio_watch_leave(int number);
#define COLLIO_WATCH_LEAVE "collio_watch_leave"

/* In the shim alone. Whether a report is written. */
extern __attribute__((visibility("hidden"))) int shim_watching;
/* The engine's, see calls.h; null: there is none. */
extern __attribute__((visibility("hidden"))) void (*shim_tell_above)(const char* name);
/* A call of the program's, or of a library's, comes to collio, by a function with this frame: 1. */
int shim_io_begins(const void* frame);
/* It is over. `alone`: it was a data call of a single rank, of `bytes`. */
void shim_io_ended(int alone, long long bytes);
/* All that were called, and one without a name: MPI-IO outside of them. Not collective. */
const struct collio_watched* shim_watched(void);

#endif
