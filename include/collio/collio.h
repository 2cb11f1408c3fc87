/* collio as a library: declared I/O for MPI programs.
 *
 * A program says once which elements of an array a rank has (a decomposition) and where the array lies in a
 * file (a variable). From then on a rank puts whatever data it has, in any order and any number of times, and
 * one collective commit writes it all:
 *
 *     collio_open(comm, "out.raw", COLLIO_WRITE | COLLIO_CREATE, NULL, &file);
 *     collio_map(2, shape, elements, my_indices, &cells);
 *     collio_define(file, cells, sizeof(float), 0, record_bytes, &temperature);
 *     for (step = 0; step < steps; ++step) {
 *       collio_put(temperature, step, data, NULL);
 *       collio_commit(file, &request);
 *       ... compute ...
 *       collio_wait(&request, NULL);
 *     }
 *     collio_close(&file);
 *
 * Every function that can fail returns a code of enum collio_code; collio_error_text() says what happened. A
 * collective function returns the same code on all ranks. Pointers to results are written on success only.
 *
 * Nothing is copied: what was put belongs to collio until its commit is done, and must not change before.
 * Data is written as it lies in memory: byte order and types are the program's.
 *
 * Calls on one file, and on its decompositions, come from one thread at a time. MPI must be initialized
 * before collio_open() and finalized after collio_close().
 *
 * All sizes, offsets and strides are in bytes unless a name says elements.
 */
#ifndef COLLIO_H
#define COLLIO_H

#include <stddef.h>
#include <stdint.h>

#ifndef COLLIO_WITHOUT_MPI_H /* then collio_open() is not there, collio_open_f() is */
#include <mpi.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a function returns. Where ranks fail differently, all return the largest. */
enum collio_code {
  COLLIO_OK = 0,
  COLLIO_ERR_OTHER,
  COLLIO_ERR_ARGUMENT,
  COLLIO_ERR_DISPLACEMENT,
  COLLIO_ERR_TYPE,
  COLLIO_ERR_NOT_SAME, /* ranks do not make the same call */
  COLLIO_ERR_NO_MEMORY,
  COLLIO_ERR_BAD_FILE,
  COLLIO_ERR_NO_SUCH_FILE,
  COLLIO_ERR_FILE_EXISTS,
  COLLIO_ERR_ACCESS,
  COLLIO_ERR_READ_ONLY,
  COLLIO_ERR_IN_USE,
  COLLIO_ERR_IO,
  COLLIO_ERR_QUOTA,
  COLLIO_ERR_NO_SPACE
};

/* How a file is opened; joined by |. */
enum collio_mode {
  COLLIO_READ = 1,
  COLLIO_WRITE = 2,
  COLLIO_CREATE = 4,    /* makes the file where there is none */
  COLLIO_EXCLUSIVE = 8, /* with COLLIO_CREATE: an error where there is one */
  COLLIO_TRUNCATE = 16, /* the file begins empty */
  COLLIO_WHOLE = 32     /* a new file is not kept in subfiles, whatever hints say */
};

typedef struct collio_file collio_file;
typedef struct collio_decomposition collio_decomposition;
typedef struct collio_variable collio_variable;
typedef struct collio_request collio_request;

/* Where the elements of a rank's block lie in memory: element (i0, i1, ...) at data + i0*strides[0] + ... .
   counts[] has the elements by dimension, strides[] the bytes from one to the next; they may be negative. The
   last dimension is the fastest. */
typedef struct collio_layout {
  int dims; /* 0 to 32 */
  const int64_t* counts;
  const int64_t* strides;
} collio_layout;

/* The lengths of an array, last dimension fastest. */
typedef struct collio_shape {
  int dims; /* 1 to 7 */
  const int64_t* lengths;
} collio_shape;

/* A put to come: see collio_declare(). */
typedef struct collio_part {
  collio_variable* variable;
  int64_t record; /* behind that of the epoch's first put of a variable with records */
} collio_part;

/* A list of pieces: `count` offsets and lengths. The order is that of the data. */
typedef struct collio_pieces {
  int64_t count;
  const int64_t* offsets;
  const int64_t* lengths;
} collio_pieces;

/* The text of the last error of this thread; "" before the first. It stays until the next one. Not
   collective. */
const char* collio_error_text(void);

/* Version of the library, as in "0.1.0". Not collective. */
const char* collio_version(void);

/* Ends the job on all ranks, by MPI_Abort() with this code. For bindings to other languages: the one for
   Fortran calls it after an error that the program does not ask for. Returns only where there is no MPI. */
int collio_end_job(int code);

/* ---- files ---- */

/* Opens `path` on the ranks of a communicator, given as its Fortran handle. `mode`: of enum collio_mode.
   All ranks give the same path and mode. `hints`: "key=value;key=value", or null; those of COLLIO_HINTS come
   before them. COLLIO_ERR_OTHER: a hint or COLLIO_ENABLE=0 disables collio. Collective. */
int collio_open_f(int fortran_comm, const char* path, int mode, const char* hints, collio_file** file);

#ifndef COLLIO_WITHOUT_MPI_H
/* The Fortran handle. MPI's standard ABI has no MPI_Fint in C. Not collective. */
static inline int collio_comm_to_int(MPI_Comm comm) {
#ifdef MPI_ABI_VERSION
  return MPI_Comm_toint(comm);
#else
  return (int)MPI_Comm_c2f(comm);
#endif
}

/* The same for a communicator of C. It may be freed when this returns. Collective. */
static inline int collio_open(MPI_Comm comm, const char* path, int mode, const char* hints,
                              collio_file** file) {
  return collio_open_f(collio_comm_to_int(comm), path, mode, hints, file);
}
#endif

/* Completes what was committed, closes the file and frees its variables; *file becomes null, also on errors.
   COLLIO_ERR_ARGUMENT: a rank put or asked for data without a commit or fetch behind it. Collective. */
int collio_close(collio_file** file);

/* Has the storage keep what was committed so far. Collective. */
int collio_sync(collio_file* file);

/* Bytes in the file now. COLLIO_ERR_NO_SUCH_FILE: another file has its name by now. Not collective. */
int collio_size(collio_file* file, int64_t* bytes);

/* Makes the file `bytes` long; all ranks give the same number. Completes what was committed. Collective. */
int collio_set_size(collio_file* file, int64_t bytes);

/* Deletes a file and its subfiles; gives `by`, a flushed file beside it, the name `path` at once, and deletes
   the file that had it. COLLIO_ERR_IN_USE: a program has subfiles open. Subfiles whose manifest is damaged
   stay: an error, or a line on stderr. Not collective. */
int collio_delete_file(const char* path);
int collio_replace_file(const char* path, const char* by);

/* ---- decompositions: which elements of an array this rank has. Not collective; they serve any file ---- */

/* A box of an array with shape[0] x shape[1] x ... elements, last dimension fastest: from start[] on, count[]
   elements by dimension; a count may be 0. `dims`: 1 to 7. O(dims). */
int collio_box(int dims, const int64_t* shape, const int64_t* start, const int64_t* count,
               collio_decomposition** decomposition);

/* Single elements: local element i is element map[i] of the array, counted from 0 with the last dimension
   fastest. -1: local element i is not in the array. An element that comes twice can be read, not written.
   `dims`: 1 to 7. The map may be freed when this returns. O(elements), with a sort where they do not
   ascend. */
int collio_map(int dims, const int64_t* shape, int64_t elements, const int64_t* map,
               collio_decomposition** decomposition);

/* Variables keep what they need of it; *decomposition becomes null. */
int collio_free(collio_decomposition** decomposition);

/* The array's dimensions and their lengths, of which `shape` has room for 7, and the elements of this rank,
   those that are not in the array included. Each place may be null. Not collective. */
int collio_inquire(const collio_decomposition* decomposition, int* dims, int64_t* shape, int64_t* elements);

/* The map that makes the same decomposition, as collio_map() takes it; a box has one, too. `map` has room for
   the elements that collio_inquire() returns. Not collective. O(elements). */
int collio_indices(const collio_decomposition* decomposition, int64_t* map);

/* ---- saved decompositions: one file for all ranks, which another run or another program loads ---- */

/* What collio_load() does where other than the saved number of ranks load. The saved list has the elements of
   all ranks, rank 0's first, each rank's in its own order, those that are not in the array included. */
enum collio_deal {
  COLLIO_DEAL_NONE = 0,   /* an error that names both numbers */
  COLLIO_DEAL_SHARES = 1, /* rank r of n gets elements E r/n to E (r+1)/n of the E in the list */
  COLLIO_DEAL_MAPS = 2    /* rank r of n gets maps R r/n to R (r+1)/n of the R saved, one after the other */
};

/* Saves the decompositions of the ranks of a communicator, given as its Fortran handle, as one file that
   replaces `path` once it is on disk. All are of arrays of one shape. A box takes 65 to 161 bytes, a map of
   rows about as much, and a map without a rule 2 to 8 bytes an element. Hints come from COLLIO_HINTS.
   Collective. O(elements) where a rank has a map, O(dims) where it has a box. */
int collio_save_f(int fortran_comm, const char* path, const collio_decomposition* decomposition);

/* Loads a decomposition: as many ranks as have saved it get their own, with all elements in the same order;
   other numbers of ranks what `deal` says, of enum collio_deal. `shape`: what the array must be, or null for
   any. COLLIO_ERR_ARGUMENT: another number of ranks, or another shape. COLLIO_ERR_BAD_FILE: the file is no
   saved decomposition, of another version, cut short or damaged: everything that is read has a checksum.
   Collective. O(own elements), with whole maps read meanwhile for COLLIO_DEAL_SHARES. */
int collio_load_f(int fortran_comm, const char* path, const collio_shape* shape, int deal,
                  collio_decomposition** decomposition);

#ifndef COLLIO_WITHOUT_MPI_H
/* The same for a communicator of C. Collective. */
static inline int collio_save(MPI_Comm comm, const char* path, const collio_decomposition* decomposition) {
  return collio_save_f(collio_comm_to_int(comm), path, decomposition);
}

/* The same for a communicator of C. Collective. */
static inline int collio_load(MPI_Comm comm, const char* path, const collio_shape* shape, int deal,
                              collio_decomposition** decomposition) {
  return collio_load_f(collio_comm_to_int(comm), path, shape, deal, decomposition);
}
#endif

/* ---- variables ---- */

/* An array in a file: its first element at byte `offset`, elements of `element_bytes` bytes (1 to 2^20), and
   `record_bytes` from one record to the next; 0: there are no records. It belongs to the file. Not
   collective. */
int collio_define(collio_file* file, const collio_decomposition* decomposition, int64_t element_bytes,
                  int64_t offset, int64_t record_bytes, collio_variable** variable);

/* Frees a variable before its file is closed, and its share of the decomposition; *variable becomes null.
   What was put stays put. Not collective. O(variables of the file). */
int collio_undefine(collio_variable** variable);

/* Data for a record; `layout`: null where the rank's elements lie one after the other. A put may cover
   anything but bytes of the file that this rank has put since its last commit. An error is also one of the
   next commit, on all ranks. Not collective. O(1) where the layout is null. */
int collio_put(collio_variable* variable, int64_t record, const void* data, const collio_layout* layout);

/* The same for reading: the data comes with the next fetch. What lies past the end of the file stays as it
   was. Not collective. */
int collio_get(collio_variable* variable, int64_t record, void* data, const collio_layout* layout);

/* ---- moving the data ---- */

/* Writes what ranks have put since the last commit, as many puts as each has; none is fine. `request`: null
   to return when it is done, else the commit goes on while the program computes: in the background with
   MPI_THREAD_MULTIPLE, else in the program's calls of collio_test() and collio_wait(), and with Open MPI in
   all its MPI calls. Collective. */
int collio_commit(collio_file* file, collio_request** request);

/* Reads what ranks have asked for since the last fetch. Collective. */
int collio_fetch(collio_file* file, collio_request** request);

/* Returns when the commit or fetch is done: its code, and the bytes of this rank that were moved (`bytes` may
   be null). *request becomes null. Ranks may wait for different requests of a file at a time. */
int collio_wait(collio_request** request, int64_t* bytes);

/* Whether it is done; moves it on. Not collective. */
int collio_test(collio_request* request, int* done);

/* Forgets what this rank has put and asked for since its last commit and fetch. In a declared epoch
   the groups that have begun are written, the rank makes no further puts before its commit, and the commit is
   an error on all ranks. Not collective. */
int collio_cancel(collio_file* file);

/* ---- epochs: a step's puts, declared beforehand ---- */

/* Declares which puts this rank makes between two commits, and in which order, from now on. collio then
   writes the first puts while the program makes the others, and their data may change before the commit: a
   step need not fit in memory. Ranks may declare different puts and different numbers of them. 0 on all ranks
   ends the declaration. Records count from the step's first: a program that declares records {0, 0, 1} may
   put records {7, 7, 8}. Puts form groups, the same by number on all ranks. One collective call writes a
   group. Puts whose bytes interleave in the file are in one group. It has the least number of puts for
   cb_buffer_size bytes for each aggregator and for a twelfth of the step. It begins when a rank has made its
   puts of it, the last group at the commit, and goes on in the background as a commit with a request does.
     `in_memory`: for how many puts the program has memory; 0: for all. Then groups have half as many puts at
   most, and the program waits for put i before it makes put i + in_memory. Puts that interleave must fit:
   else COLLIO_ERR_ARGUMENT. The least number of all ranks counts. A put other than the declared one is an
   error, and so is a commit before all puts are made: the commit returns it on all ranks. Other collective
   calls on the file end an unfinished step with an error. Collective. O(puts log puts). */
int collio_declare(collio_file* file, int64_t count, const collio_part* parts, int64_t in_memory);

/* Returns when the data of this rank's first `puts` puts since the last commit may change; 0 only moves the
   groups on. The other ranks must make their puts of the same groups. COLLIO_ERR_ARGUMENT: this rank has not
   made all puts of the group, or the commit writes it. Not collective. */
int collio_wait_puts(collio_file* file, int64_t puts);

/* `end`: the number behind the last put in the group of declared put `put`, counted from 0. Not collective.
 */
int collio_group_end(collio_file* file, int64_t put, int64_t* end);

/* ---- direct calls: lists of pieces in the file and in memory ---- */

/* Writes to pieces of the file, in any order, from pieces of memory at `memory` + offset; null: one piece.
   Both lists have the same bytes. The lists may be freed when this returns. Collective. */
int collio_write_pieces(collio_file* file, const collio_pieces* pieces, const void* memory,
                        const collio_pieces* memory_pieces, collio_request** request);
int collio_read_pieces(collio_file* file, const collio_pieces* pieces, void* memory,
                       const collio_pieces* memory_pieces, collio_request** request);

/* The same by this rank alone. `bytes` may be null. Not collective. */
int collio_write_alone(collio_file* file, const collio_pieces* pieces, const void* memory,
                       const collio_pieces* memory_pieces, int64_t* bytes);
int collio_read_alone(collio_file* file, const collio_pieces* pieces, void* memory,
                      const collio_pieces* memory_pieces, int64_t* bytes);

#ifdef __cplusplus
}
#endif
#endif
