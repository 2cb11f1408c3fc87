/* What the parts of the preloaded library share. */
#ifndef COLLIO_MPIIO_SHIM_H
#define COLLIO_MPIIO_SHIM_H

/* Handles pass through in a whole register each, whatever their width in the MPI that calls: the program may use MPI's standard ABI, whose
   handles are wider than those collio was built for. */
typedef void* handle;

#define EXPORT __attribute__((visibility("default")))

/* A function or object of the MPI library's, or of a tool's in between; null: there is none. Not collective. Thread-safe. */
void* shim_find(const char* name);
/* Says that the MPI library has no such function; an MPI error code. */
int shim_missing(const char* name);

/* Whether calls of this thread are inside of a call of the program's that collio took. */
int shim_inside(void);
/* Calls of this thread are the program's again, as far as the thread is: what shim_come_back() wants. */
int shim_step_out(void);
void shim_come_back(int where);

/* This rank's part in the reduction of an open, where there is no engine. `opened`: the MPI library opened the file. Collective. */
void shim_tell_absent(handle comm, int mode, int opened);

/* Error handlers that were called inside of a call of the program's run now that it is over. `no_file`: the call's file is no longer, or never was, open. */
void shim_run_handlers(int no_file);

#endif
