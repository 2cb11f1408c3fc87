/* PnetCDF's data functions by direction, way, form and type. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdlib.h>

struct place {
  int ncid, varid, form; /* var, var1, vara, vars, varm, varn */
  const MPI_Offset *start, *count, *stride, *imap;
  int parts;
  MPI_Offset *const *starts, *const *counts;
};

struct buffer {
  void* data;
  MPI_Offset count; /* of a flexible function */
  MPI_Datatype type;
  int nc_type;  /* 0: a flexible function */
  int* request; /* of a function that does not block */
};

#define NUMBERS(each)                                                                                 \
  each(NC_CHAR, text, char, MPI_CHAR) each(NC_BYTE, schar, signed char, MPI_SIGNED_CHAR)              \
      each(NC_UBYTE, uchar, unsigned char, MPI_UNSIGNED_CHAR) each(NC_SHORT, short, short, MPI_SHORT) \
          each(NC_USHORT, ushort, unsigned short, MPI_UNSIGNED_SHORT) each(NC_INT, int, int, MPI_INT) \
              each(NC_UINT, uint, unsigned, MPI_UNSIGNED) each(NC_FLOAT, float, float, MPI_FLOAT)     \
                  each(NC_DOUBLE, double, double, MPI_DOUBLE)                                         \
                      each(NC_INT64, longlong, long long, MPI_LONG_LONG_INT)                          \
                          each(NC_UINT64, ulonglong, unsigned long long, MPI_UNSIGNED_LONG_LONG)

static size_t type_bytes(int type) {
  switch (type) {
#define SIZE(nc, name, c, mpi) \
  case nc:                     \
    return sizeof(c);
    NUMBERS(SIZE)
  }
  return 0;
}

static MPI_Datatype mpi_type(int type) {
  switch (type) {
#define MPI(nc, name, c, mpi) \
  case nc:                    \
    return mpi;
    NUMBERS(MPI)
  }
  return MPI_DATATYPE_NULL;
}

/* The functions of a form: `places` are arguments behind the variable. */
#define FORM(function, suffix, ...)                                                                          \
  static int function(int reads, int way, const struct place* at, const struct buffer* b) {                  \
    switch (b->nc_type) {                                                                                    \
      case 0:                                                                                                \
        if (way == 3 && reads)                                                                               \
          return ncmpi_get_##suffix(at->ncid, at->varid, __VA_ARGS__ b->data, b->count, b->type);            \
        if (way == 3)                                                                                        \
          return ncmpi_put_##suffix(at->ncid, at->varid, __VA_ARGS__ b->data, b->count, b->type);            \
        if (way == 0 && reads)                                                                               \
          return ncmpi_get_##suffix##_all(at->ncid, at->varid, __VA_ARGS__ b->data, b->count, b->type);      \
        if (way == 0)                                                                                        \
          return ncmpi_put_##suffix##_all(at->ncid, at->varid, __VA_ARGS__ b->data, b->count, b->type);      \
        if (reads)                                                                                           \
          return ncmpi_iget_##suffix(at->ncid, at->varid, __VA_ARGS__ b->data, b->count, b->type,            \
                                     b->request);                                                            \
        if (way == 2)                                                                                        \
          return ncmpi_bput_##suffix(at->ncid, at->varid, __VA_ARGS__ b->data, b->count, b->type,            \
                                     b->request);                                                            \
        return ncmpi_iput_##suffix(at->ncid, at->varid, __VA_ARGS__ b->data, b->count, b->type, b->request); \
        NUMBERS(TYPED_##suffix)                                                                              \
    }                                                                                                        \
    return -1;                                                                                               \
  }
#define TYPED(nc, suffix, name, ...)                                                                         \
  case nc:                                                                                                   \
    if (way == 3 && reads) return ncmpi_get_##suffix##_##name(at->ncid, at->varid, __VA_ARGS__ b->data);     \
    if (way == 3) return ncmpi_put_##suffix##_##name(at->ncid, at->varid, __VA_ARGS__ b->data);              \
    if (way == 0 && reads)                                                                                   \
      return ncmpi_get_##suffix##_##name##_all(at->ncid, at->varid, __VA_ARGS__ b->data);                    \
    if (way == 0) return ncmpi_put_##suffix##_##name##_all(at->ncid, at->varid, __VA_ARGS__ b->data);        \
    if (reads) return ncmpi_iget_##suffix##_##name(at->ncid, at->varid, __VA_ARGS__ b->data, b->request);    \
    if (way == 2) return ncmpi_bput_##suffix##_##name(at->ncid, at->varid, __VA_ARGS__ b->data, b->request); \
    return ncmpi_iput_##suffix##_##name(at->ncid, at->varid, __VA_ARGS__ b->data, b->request);
#define TYPED_var(nc, name, c, mpi) TYPED(nc, var, name, )
#define TYPED_var1(nc, name, c, mpi) TYPED(nc, var1, name, at->start, )
#define TYPED_vara(nc, name, c, mpi) TYPED(nc, vara, name, at->start, at->count, )
#define TYPED_vars(nc, name, c, mpi) TYPED(nc, vars, name, at->start, at->count, at->stride, )
#define TYPED_varm(nc, name, c, mpi) TYPED(nc, varm, name, at->start, at->count, at->stride, at->imap, )
#define TYPED_varn(nc, name, c, mpi) TYPED(nc, varn, name, at->parts, at->starts, at->counts, )
FORM(var_function, var, )
FORM(var1_function, var1, at->start, )
FORM(vara_function, vara, at->start, at->count, )
FORM(vars_function, vars, at->start, at->count, at->stride, )
FORM(varm_function, varm, at->start, at->count, at->stride, at->imap, )
FORM(varn_function, varn, at->parts, at->starts, at->counts, )

/* way: 0 blocking, 1 nonblocking, 2 buffered, 3 blocking in independent mode. */
static int data_function(int reads, int way, const struct place* at, const struct buffer* b) {
  if (at->form == 0) return var_function(reads, way, at, b);
  if (at->form == 1) return var1_function(reads, way, at, b);
  if (at->form == 2) return vara_function(reads, way, at, b);
  if (at->form == 3) return vars_function(reads, way, at, b);
  if (at->form == 4) return varm_function(reads, way, at, b);
  return varn_function(reads, way, at, b);
}

/* ---- of several variables ---- */

struct several {
  int ncid, form, count, *varids;
  MPI_Offset **starts, **counts, **strides, **imaps;
  void** buffers;
  const MPI_Offset* elements;
  const MPI_Datatype* types;
  int nc_type; /* 0: a flexible function */
};

#define SEVERAL(function, suffix, ...)                                                                  \
  static int function(int reads, int way, const struct several* at) {                                   \
    const int count = at->count;                                                                        \
    int* const ids = at->varids;                                                                        \
    switch (at->nc_type) {                                                                              \
      case 0:                                                                                           \
        if (way == 3 && reads)                                                                          \
          return ncmpi_mget_##suffix(at->ncid, count, ids, __VA_ARGS__ at->buffers, at->elements,       \
                                     at->types);                                                        \
        if (way == 3)                                                                                   \
          return ncmpi_mput_##suffix(at->ncid, count, ids, __VA_ARGS__ at->buffers, at->elements,       \
                                     at->types);                                                        \
        if (reads)                                                                                      \
          return ncmpi_mget_##suffix##_all(at->ncid, count, ids, __VA_ARGS__ at->buffers, at->elements, \
                                           at->types);                                                  \
        return ncmpi_mput_##suffix##_all(at->ncid, count, ids, __VA_ARGS__ at->buffers, at->elements,   \
                                         at->types);                                                    \
        NUMBERS(SEVERAL_##suffix)                                                                       \
    }                                                                                                   \
    return -1;                                                                                          \
  }
#define SEVERAL_TYPED(nc, suffix, name, c, ...)                                                            \
  case nc:                                                                                                 \
    if (way == 3 && reads)                                                                                 \
      return ncmpi_mget_##suffix##_##name(at->ncid, count, ids, __VA_ARGS__(c**) at->buffers);             \
    if (way == 3) return ncmpi_mput_##suffix##_##name(at->ncid, count, ids, __VA_ARGS__(c**) at->buffers); \
    if (reads)                                                                                             \
      return ncmpi_mget_##suffix##_##name##_all(at->ncid, count, ids, __VA_ARGS__(c**) at->buffers);       \
    return ncmpi_mput_##suffix##_##name##_all(at->ncid, count, ids, __VA_ARGS__(c**) at->buffers);
#define SEVERAL_var(nc, name, c, mpi) SEVERAL_TYPED(nc, var, name, c, )
#define SEVERAL_var1(nc, name, c, mpi) SEVERAL_TYPED(nc, var1, name, c, at->starts, )
#define SEVERAL_vara(nc, name, c, mpi) SEVERAL_TYPED(nc, vara, name, c, at->starts, at->counts, )
#define SEVERAL_vars(nc, name, c, mpi) SEVERAL_TYPED(nc, vars, name, c, at->starts, at->counts, at->strides, )
#define SEVERAL_varm(nc, name, c, mpi) \
  SEVERAL_TYPED(nc, varm, name, c, at->starts, at->counts, at->strides, at->imaps, )
SEVERAL(mvar_function, var, )
SEVERAL(mvar1_function, var1, at->starts, )
SEVERAL(mvara_function, vara, at->starts, at->counts, )
SEVERAL(mvars_function, vars, at->starts, at->counts, at->strides, )
SEVERAL(mvarm_function, varm, at->starts, at->counts, at->strides, at->imaps, )

static int several_function(int reads, int way, const struct several* at) {
  if (at->form == 0) return mvar_function(reads, way, at);
  if (at->form == 1) return mvar1_function(reads, way, at);
  if (at->form == 2) return mvara_function(reads, way, at);
  if (at->form == 3) return mvars_function(reads, way, at);
  return mvarm_function(reads, way, at);
}
