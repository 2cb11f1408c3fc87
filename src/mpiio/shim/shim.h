/* What the parts of the preloaded library share. */
#ifndef COLLIO_MPIIO_SHIM_H
#define COLLIO_MPIIO_SHIM_H

#include "mpiio/shim/any_mpi.h"

#define EXPORT __attribute__((visibility("default")))

/* A function or object of the MPI library's, or of a tool's in between; null: there is none. The name with P
   in front does where there is none without. Not collective. Thread-safe. */
void* shim_find(const char* name);
/* The same for many names: a library that no search from here reaches is looked for once. Begins as zeros. */
struct shim_finder {
  void* library;
  int looked;
};
void* shim_find_with(struct shim_finder* finder, const char* name);
void shim_end_find(struct shim_finder* finder);
/* Whether one loaded object has both. Not collective. */
int shim_same_object(const void* one, const void* other);
/* `code` is about to initialize MPI: of several MPI libraries, the one it is linked with is meant. */
void shim_note_initializer(const void* code);
/* Path of the MPI library, and whether it was found. Not collective. */
int shim_mpi_library(const char** path);
/* Says that the MPI library has no such function; an MPI error code. */
int shim_missing(const char* name);

/* A constant of MPI's: a number, or the address of a symbol. */
struct mpi_constant {
  uintptr_t number;
  const char* symbol;
};
struct mpi_family {
  const char* name;
  int comm_bytes, err_other, thread_multiple;
  struct mpi_constant comm_null, file_null, int_type, op_min;
};
/* That of the process's MPI library; null: there is none. Not collective. */
const struct mpi_family* shim_family(void);
handle shim_constant(const struct mpi_constant* constant);

/* This rank's part in the meeting of an open, where there is no engine. `opened`: the MPI library opened
   the file. `why`: what the lowest such rank says, once. 1: the file is kept in subfiles, or may be: this
   rank closes it again, and so do others, with an engine or without. Collective. */
int shim_tell_absent(handle comm, const char* path, int mode, int opened, const char* why);

/* The process is a rank, opens a file through MPI-IO, has no engine for it: what is known at its exit
 * (shim_note.c). Not collective. */
void shim_note_init(void);
void shim_note_open(void);
void shim_note_absent(void);
/* Whether this process says what holds for all ranks: the job's first one does, by the launcher's number,
 * and all with COLLIO_VERBOSE. */
int shim_speaks(void);

/* A function that the engine exports, which is loaded first if need be; null: there is no engine. MPI is
 * initialized. Not collective. */
void* shim_engine_symbol(const char* name);

/* Error handlers that were called inside of a call of the program's run now that it is over. `no_file`: the
 * call's file is no longer, or never was, open. */
void shim_run_handlers(int no_file);
/* How many they are. */
extern __attribute__((visibility("hidden"))) __thread int shim_handlers_waiting;

#endif
