/* Puts and gets of Fortran arrays, for the module in include/collio/collio.f90.
 *
 * A Fortran array comes with a descriptor (Fortran 2018, 18.5), which says where its elements are:
 * collio_put() takes that as a layout, and nothing is copied.
 *
 * Compilers order a descriptor's members differently. This file is part of libcollio.so with the order of GNU
 * Fortran and LLVM Flang. For another compiler, compile it with the program, with -DCOLLIO_FORTRAN_BINDING
 * and the C compiler that fits: it takes the compiler's ISO_Fortran_binding.h and comes before libcollio.so.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define COLLIO_WITHOUT_MPI_H
#include "collio/collio.h"

#ifdef COLLIO_FORTRAN_BINDING
#include <ISO_Fortran_binding.h>
#else
enum { CFI_MAX_RANK = 15 };
typedef struct CFI_cdesc_t {
  void* base_addr;
  size_t elem_len;
  int version;
  int8_t rank, other[3];
  struct {
    ptrdiff_t lower_bound, extent, sm;
  } dim[];
} CFI_cdesc_t;
#endif

#define COLLIO_PUBLIC __attribute__((visibility("default")))

/* As the module declares it. */
typedef struct variable {
  collio_variable* handle;
  int64_t elements, element_bytes;
} variable;

typedef struct pieces {
  int64_t count; /* -1: none are given */
  const int64_t *offsets, *lengths;
} pieces;

/* A layout with its arrays: one dimension for each of the array's, one for parts of elements. */
typedef struct own_layout {
  collio_layout layout;
  int64_t counts[CFI_MAX_RANK + 1], strides[CFI_MAX_RANK + 1];
} own_layout;

/* Ends the job: the other ranks may wait for this one, and some launchers let them. */
static void end_with(const char* text) {
  fprintf(stderr, "collio: %s\n", text);
  collio_end_job(EXIT_FAILURE);
  exit(EXIT_FAILURE);
}

static void end(int code, int* ierr) {
  if (ierr)
    *ierr = code;
  else if (code != COLLIO_OK)
    end_with(collio_error_text());
}

/* -1: unknown, as the size of an assumed-size array is. */
static int64_t size_of(const CFI_cdesc_t* array) {
  int64_t size = 1;
  for (int d = 0; d < array->rank; ++d) size *= array->dim[d].extent;
  return array->rank > 0 && array->dim[array->rank - 1].extent < 0 ? -1 : size;
}

static bool contiguous(const CFI_cdesc_t* array) {
  ptrdiff_t bytes = (ptrdiff_t)array->elem_len;
  if (size_of(array) == 0) return true;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].extent != 1 && array->dim[d].sm != bytes) return false;
    bytes *= array->dim[d].extent;
  }
  return true;
}

static void add(own_layout* into, int64_t count, int64_t stride) {
  into->counts[into->layout.dims] = count;
  into->strides[into->layout.dims++] = stride;
}

/* Null: one after the other, and as many as there have to be. What does not fit the variable becomes a layout
   that collio refuses, now and on all ranks at the commit. */
static const collio_layout* layout_of(const CFI_cdesc_t* array, const variable* v, own_layout* made) {
  made->layout = (collio_layout){.dims = 0, .counts = made->counts, .strides = made->strides};
  if (array->rank < 0 || array->rank > CFI_MAX_RANK) { /* another compiler's order */
    made->layout.dims = -1;
    return &made->layout;
  }
  const int64_t size = size_of(array), length = (int64_t)array->elem_len, part = v->element_bytes;
  const bool at_once = contiguous(array);
  if (size < 0 || (at_once && length == part && size == v->elements)) return NULL;
  if (part > 0 && length % part == 0) {
    for (int d = array->rank; d-- > 0;) add(made, array->dim[d].extent, array->dim[d].sm);
    add(made, length / part, part);
  } else if (part > 0 && at_once && size * length % part == 0) {
    add(made, size * length / part, part);
  } else {
    made->layout.dims = -1;
  }
  return &made->layout;
}

static int put(const variable* v, int64_t record, const CFI_cdesc_t* data) {
  own_layout made;
  return collio_put(v->handle, record - 1, data->base_addr, layout_of(data, v, &made));
}

static int get(const variable* v, int64_t record, const CFI_cdesc_t* data) {
  own_layout made;
  return collio_get(v->handle, record - 1, data->base_addr, layout_of(data, v, &made));
}

COLLIO_PUBLIC void collio_fortran_put(const variable* v, int32_t record, const CFI_cdesc_t* data, int* ierr) {
  end(put(v, record, data), ierr);
}

COLLIO_PUBLIC void collio_fortran_put_8(const variable* v, int64_t record, const CFI_cdesc_t* data,
                                        int* ierr) {
  end(put(v, record, data), ierr);
}

COLLIO_PUBLIC void collio_fortran_get(const variable* v, int32_t record, const CFI_cdesc_t* data, int* ierr) {
  end(get(v, record, data), ierr);
}

COLLIO_PUBLIC void collio_fortran_get_8(const variable* v, int64_t record, const CFI_cdesc_t* data,
                                        int* ierr) {
  end(get(v, record, data), ierr);
}

/* ---- pieces ---- */

static collio_pieces list_of(const pieces* given) {
  return (collio_pieces){.count = given->count, .offsets = given->offsets, .lengths = given->lengths};
}

/* Memory in pieces that a section left out would be other bytes than the program means. */
static void* memory_of(const CFI_cdesc_t* array) {
  if (contiguous(array)) return array->base_addr;
  end_with("the memory of a list of pieces is a section with gaps; pass the whole array");
  return NULL;
}

COLLIO_PUBLIC void collio_fortran_write_pieces(collio_file** file, const pieces lists[2],
                                               const CFI_cdesc_t* memory, collio_request** request,
                                               int* ierr) {
  const collio_pieces in_file = list_of(&lists[0]), here = list_of(&lists[1]);
  end(collio_write_pieces(*file, &in_file, memory_of(memory), here.count < 0 ? NULL : &here, request), ierr);
}

COLLIO_PUBLIC void collio_fortran_read_pieces(collio_file** file, const pieces lists[2],
                                              const CFI_cdesc_t* memory, collio_request** request,
                                              int* ierr) {
  const collio_pieces in_file = list_of(&lists[0]), here = list_of(&lists[1]);
  end(collio_read_pieces(*file, &in_file, memory_of(memory), here.count < 0 ? NULL : &here, request), ierr);
}

COLLIO_PUBLIC void collio_fortran_write_alone(collio_file** file, const pieces lists[2],
                                              const CFI_cdesc_t* memory, int64_t* bytes, int* ierr) {
  const collio_pieces in_file = list_of(&lists[0]), here = list_of(&lists[1]);
  end(collio_write_alone(*file, &in_file, memory_of(memory), here.count < 0 ? NULL : &here, bytes), ierr);
}

COLLIO_PUBLIC void collio_fortran_read_alone(collio_file** file, const pieces lists[2],
                                             const CFI_cdesc_t* memory, int64_t* bytes, int* ierr) {
  const collio_pieces in_file = list_of(&lists[0]), here = list_of(&lists[1]);
  end(collio_read_alone(*file, &in_file, memory_of(memory), here.count < 0 ? NULL : &here, bytes), ierr);
}
