/* PnetCDF's functions in the preloaded library, for programs whose PnetCDF is a shared library.
 *
 * A data function is a call as plain data (pnetcdf/contract.h) where the engine serves the file, and else
 * goes on to the program's PnetCDF, as functions of files do where there is no engine.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "mpiio/shim/shim.h"
#include "mpiio/shim/shim_watch.h"
#include "pnetcdf/contract.h"
#include "pnetcdf/shim/forms.h"

enum { not_supported = -214 };

static const struct collio_pnetcdf_front* front;
/* Code of the program's that called one of these functions: where PnetCDF was loaded privately, its object
   finds it. */
static const void* caller;

/* In an object that is loaded, or in one that it needs; null: it is not there, or is this library's own. */
static void* find_in(const char* object_name, const char* name) {
  static const char here;
  Dl_info own, of;
  void* object = dlopen(object_name, RTLD_LAZY | RTLD_NOLOAD);
  void* function = object ? dlsym(object, name) : NULL;
  if (object) dlclose(object);
  const int known = function && dladdr(function, &of) && dladdr(&here, &own);
  return known && of.dli_fbase != own.dli_fbase ? function : NULL;
}

/* A name, and its function in an object that is called PnetCDF's. */
struct sought {
  const char* name;
  void* function;
};

static int look_in(struct dl_phdr_info* info, size_t size, void* data) {
  struct sought* sought = data;
  (void)size;
  if (strstr(info->dlpi_name, "libpnetcdf")) sought->function = find_in(info->dlpi_name, sought->name);
  return sought->function != NULL;
}

static void* find(const char* name) {
  struct sought sought = {name, dlsym(RTLD_NEXT, name)};
  Dl_info of;
  if (!sought.function && caller && dladdr(caller, &of) && of.dli_fname)
    sought.function = find_in(of.dli_fname, name);
  if (!sought.function) dl_iterate_phdr(look_in, &sought);
  return sought.function;
}

static void* found(void** kept, const char* name, const void* from) {
  if (*kept) return *kept;
  caller = from;
  *kept = find(name);
  if (!*kept) fprintf(stderr, "collio: no %s of PnetCDF is loaded in this process\n", name);
  return *kept;
}

/* The name comes with the call, as 700 of them would make pages of every process its own. */
static int enter(struct collio_watched* function, const char* name, const void* frame) {
  function->name = name;
  return collio_watch_enter(function, frame);
}

/* PnetCDF's own functions of files, timed: what the front gets where a report is written. */
#define COLLIO_PNETCDF_FUNCTION(name, parameters, arguments)                        \
  static int(*own_##name) parameters;                                               \
  static int timed_##name parameters {                                              \
    static struct collio_watched watched;                                           \
    const int number = enter(&watched, "ncmpi_" #name, __builtin_frame_address(0)); \
    const int code = own_##name arguments;                                          \
    collio_watch_leave(number);                                                     \
    return code;                                                                    \
  }
#include "pnetcdf/file_calls.def"
#undef COLLIO_PNETCDF_FUNCTION

static void* find_timed(const char* name) {
  void* function = find(name);
#define COLLIO_PNETCDF_FUNCTION(name_, parameters, arguments) \
  if (function && strcmp(name, "ncmpi_" #name_) == 0) {       \
    *(void**)&own_##name_ = function;                         \
    int(*timed) parameters = timed_##name_;                   \
    return *(void**)&timed;                                   \
  }
#include "pnetcdf/file_calls.def"
#undef COLLIO_PNETCDF_FUNCTION
  return function;
}

/* At the first file: MPI is initialized by then. */
static const struct collio_pnetcdf_front* started(const void* from) {
  collio_pnetcdf_start_function start = NULL;
  if (front) return front;
  caller = from;
  *(void**)&start = shim_engine_symbol(COLLIO_PNETCDF_START);
  if (start) front = start(shim_watching ? find_timed : find);
  return front;
}

#define COLLIO_PNETCDF_FUNCTION(name, parameters, arguments)               \
  EXPORT int ncmpi_##name parameters;                                      \
  int ncmpi_##name parameters {                                            \
    static int(*real) parameters;                                          \
    const void* from = __builtin_return_address(0);                        \
    if (!found((void**)&real, "ncmpi_" #name, from)) return not_supported; \
    return started(from) ? front->name arguments : real arguments;         \
  }
#include "pnetcdf/file_calls.def"
#undef COLLIO_PNETCDF_FUNCTION

/* One data function. `places`: the parameters that say where in the variable, `passed`: the same as
   arguments; `buffers`, `given`: of the buffer and what comes behind it. */
#define DEFINE(name, places, passed, buffers, given, ...)                                \
  EXPORT int name(int ncid, int varid, LIST places LIST buffers);                        \
  int name(int ncid, int varid, LIST places LIST buffers) {                              \
    static int (*real)(int, int, LIST places LIST buffers);                              \
    const struct collio_pnetcdf_call call = {__VA_ARGS__};                               \
    int code;                                                                            \
    if (front && front->data(&call, &code)) return code;                                 \
    if (!found((void**)&real, #name, __builtin_return_address(0))) return not_supported; \
    static struct collio_watched watched;                                                \
    const int number = enter(&watched, #name, __builtin_frame_address(0));               \
    code = real(ncid, varid, LIST passed LIST given);                                    \
    collio_watch_leave(number);                                                          \
    return code;                                                                         \
  }
#define CALL(reads_, way_, form_, fields)                                          \
  .reads = (reads_), .way = (way_), .form = (form_), .ncid = ncid, .varid = varid, \
  LIST fields.buffer = (void*)data

/* The typed functions of a form. */
#define TYPED(suffix, form, places, passed, fields, type, in_c, number)                                   \
  DEFINE(ncmpi_put_##suffix##_##type##_all, places, passed, (const in_c* data), (data),                   \
         CALL(0, COLLIO_BLOCKING, form, fields), .memory_type = number, .type_name = #type)               \
  DEFINE(ncmpi_get_##suffix##_##type##_all, places, passed, (in_c * data), (data),                        \
         CALL(1, COLLIO_BLOCKING, form, fields), .memory_type = number, .type_name = #type)               \
  DEFINE(ncmpi_put_##suffix##_##type, places, passed, (const in_c* data), (data),                         \
         CALL(0, COLLIO_ALONE, form, fields), .memory_type = number, .type_name = #type)                  \
  DEFINE(ncmpi_get_##suffix##_##type, places, passed, (in_c * data), (data),                              \
         CALL(1, COLLIO_ALONE, form, fields), .memory_type = number, .type_name = #type)                  \
  DEFINE(ncmpi_iput_##suffix##_##type, places, passed, (const in_c* data, int* request), (data, request), \
         CALL(0, COLLIO_NONBLOCKING, form, fields), .memory_type = number, .type_name = #type,            \
         .request = request)                                                                              \
  DEFINE(ncmpi_iget_##suffix##_##type, places, passed, (in_c * data, int* request), (data, request),      \
         CALL(1, COLLIO_NONBLOCKING, form, fields), .memory_type = number, .type_name = #type,            \
         .request = request)                                                                              \
  DEFINE(ncmpi_bput_##suffix##_##type, places, passed, (const in_c* data, int* request), (data, request), \
         CALL(0, COLLIO_BUFFERED, form, fields), .memory_type = number, .type_name = #type,               \
         .request = request)

#define BUFFER .buffer_count = count_, .buffer_type = type_
/* The flexible functions of a form, and all others. */
#define FORM(unused, suffix, form, places, passed, fields)                                                   \
  DEFINE(ncmpi_put_##suffix##_all, places, passed,                                                           \
         (const void* data, MPI_Offset count_, MPI_Datatype type_), (data, count_, type_),                   \
         CALL(0, COLLIO_BLOCKING, form, fields), BUFFER)                                                     \
  DEFINE(ncmpi_get_##suffix##_all, places, passed, (void* data, MPI_Offset count_, MPI_Datatype type_),      \
         (data, count_, type_), CALL(1, COLLIO_BLOCKING, form, fields), BUFFER)                              \
  DEFINE(ncmpi_put_##suffix, places, passed, (const void* data, MPI_Offset count_, MPI_Datatype type_),      \
         (data, count_, type_), CALL(0, COLLIO_ALONE, form, fields), BUFFER)                                 \
  DEFINE(ncmpi_get_##suffix, places, passed, (void* data, MPI_Offset count_, MPI_Datatype type_),            \
         (data, count_, type_), CALL(1, COLLIO_ALONE, form, fields), BUFFER)                                 \
  DEFINE(ncmpi_iput_##suffix, places, passed,                                                                \
         (const void* data, MPI_Offset count_, MPI_Datatype type_, int* request),                            \
         (data, count_, type_, request), CALL(0, COLLIO_NONBLOCKING, form, fields), BUFFER,                  \
         .request = request)                                                                                 \
  DEFINE(ncmpi_iget_##suffix, places, passed,                                                                \
         (void* data, MPI_Offset count_, MPI_Datatype type_, int* request), (data, count_, type_, request),  \
         CALL(1, COLLIO_NONBLOCKING, form, fields), BUFFER, .request = request)                              \
  DEFINE(ncmpi_bput_##suffix, places, passed,                                                                \
         (const void* data, MPI_Offset count_, MPI_Datatype type_, int* request),                            \
         (data, count_, type_, request), CALL(0, COLLIO_BUFFERED, form, fields), BUFFER, .request = request) \
  TYPES(TYPED, suffix, form, places, passed, fields)
FORMS(FORM, )

/* Functions of several variables. */
#define SEVERAL(name, lists, passed, memory, given, fields, more, ...)                       \
  EXPORT int name(int ncid, int count_, int varids[], LIST lists LIST memory);               \
  int name(int ncid, int count_, int varids[], LIST lists LIST memory) {                     \
    static int (*real)(int, int, int*, LIST lists LIST memory);                              \
    const struct collio_pnetcdf_calls calls = {.alike = {.ncid = ncid, __VA_ARGS__},         \
                                               .count = count_,                              \
                                               .varids = varids,                             \
                                               LIST fields LIST more.buffers = (void*)data}; \
    int code;                                                                                \
    if (front && front->several(&calls, &code)) return code;                                 \
    if (!found((void**)&real, #name, __builtin_return_address(0))) return not_supported;     \
    static struct collio_watched watched;                                                    \
    const int number = enter(&watched, #name, __builtin_frame_address(0));                   \
    code = real(ncid, count_, varids, LIST passed LIST given);                               \
    collio_watch_leave(number);                                                              \
    return code;                                                                             \
  }
#define COMMON(reads_, way_, form_) .reads = (reads_), .way = (way_), .form = (form_)
#define SEVERAL_TYPED(suffix, form, lists, passed, fields, type, in_c, number)                         \
  SEVERAL(ncmpi_mput_##suffix##_##type##_all, lists, passed, (in_c* const data[]), (data), fields, (), \
          COMMON(0, COLLIO_BLOCKING, form), .memory_type = number, .type_name = #type)                 \
  SEVERAL(ncmpi_mget_##suffix##_##type##_all, lists, passed, (in_c * data[]), (data), fields, (),      \
          COMMON(1, COLLIO_BLOCKING, form), .memory_type = number, .type_name = #type)                 \
  SEVERAL(ncmpi_mput_##suffix##_##type, lists, passed, (in_c* const data[]), (data), fields, (),       \
          COMMON(0, COLLIO_ALONE, form), .memory_type = number, .type_name = #type)                    \
  SEVERAL(ncmpi_mget_##suffix##_##type, lists, passed, (in_c * data[]), (data), fields, (),            \
          COMMON(1, COLLIO_ALONE, form), .memory_type = number, .type_name = #type)
#define SEVERAL_FLEXIBLE(name, lists, passed, fields, ...)                                                \
  SEVERAL(                                                                                                \
      name, lists, passed, (void* const data[], const MPI_Offset counts_[], const MPI_Datatype types_[]), \
      (data, counts_, types_), fields, (.buffer_counts = counts_, .buffer_types = types_, ), __VA_ARGS__)
#define SEVERAL_FORM(suffix, form, lists, passed, fields)                                              \
  SEVERAL_FLEXIBLE(ncmpi_mput_##suffix##_all, lists, passed, fields, COMMON(0, COLLIO_BLOCKING, form)) \
  SEVERAL_FLEXIBLE(ncmpi_mget_##suffix##_all, lists, passed, fields, COMMON(1, COLLIO_BLOCKING, form)) \
  SEVERAL_FLEXIBLE(ncmpi_mput_##suffix, lists, passed, fields, COMMON(0, COLLIO_ALONE, form))          \
  SEVERAL_FLEXIBLE(ncmpi_mget_##suffix, lists, passed, fields, COMMON(1, COLLIO_ALONE, form))          \
  TYPES(SEVERAL_TYPED, suffix, form, lists, passed, fields)
SEVERAL_FORMS(SEVERAL_FORM)

#define BY_DATATYPE(name, in_c)                                                                           \
  EXPORT int name(int ncid, int varid, MPI_Datatype of_file, in_c data, MPI_Offset count_,                \
                  MPI_Datatype type_);                                                                    \
  int name(int ncid, int varid, MPI_Datatype of_file, in_c data, MPI_Offset count_, MPI_Datatype type_) { \
    static int (*real)(int, int, MPI_Datatype, in_c, MPI_Offset, MPI_Datatype);                           \
    if (front) front->note_by_datatype(ncid);                                                             \
    if (!found((void**)&real, #name, __builtin_return_address(0))) return not_supported;                  \
    static struct collio_watched watched;                                                                 \
    const int number = enter(&watched, #name, __builtin_frame_address(0));                                \
    const int code = real(ncid, varid, of_file, data, count_, type_);                                     \
    collio_watch_leave(number);                                                                           \
    return code;                                                                                          \
  }
BY_DATATYPE(ncmpi_put_vard, const void*)
BY_DATATYPE(ncmpi_put_vard_all, const void*)
BY_DATATYPE(ncmpi_get_vard, void*)
BY_DATATYPE(ncmpi_get_vard_all, void*)
