/* The functions that are timed. Each goes on to the program's library with what it got. */
#include "timers/timers.h"

#include <stddef.h>
#include <stdint.h>

typedef void* handle;
typedef int64_t hid; /* an int before HDF5 1.10: in a whole register */

#define COLLIO_TIMED(result, function, parameters, arguments)                                           \
  EXPORT result function parameters;                                                                    \
  result function parameters {                                                                          \
    static struct timed timed = {.watched = {.name = #function}};                                       \
    result(*real) parameters;                                                                           \
    *(void**)&real = timers_find(&timed, #function, __builtin_return_address(0));                       \
    if (!real) return -1;                                                                               \
    const int number = timed.by_collio ? -1 : timers_enter(&timed.watched, __builtin_frame_address(0)); \
    const result code = real arguments;                                                                 \
    timers_leave(number);                                                                               \
    return code;                                                                                        \
  }
#define DATA CONST void* data
#define COLLIO_TYPED_DATA(form, parameters, arguments) \
  TYPED(form, , parameters, arguments)                 \
  TYPED(form, _text, parameters, arguments)            \
  TYPED(form, _uchar, parameters, arguments)           \
  TYPED(form, _schar, parameters, arguments)           \
  TYPED(form, _short, parameters, arguments)           \
  TYPED(form, _int, parameters, arguments)             \
  TYPED(form, _long, parameters, arguments)            \
  TYPED(form, _float, parameters, arguments)           \
  TYPED(form, _double, parameters, arguments)          \
  TYPED(form, _ushort, parameters, arguments)          \
  TYPED(form, _uint, parameters, arguments)            \
  TYPED(form, _longlong, parameters, arguments)        \
  TYPED(form, _ulonglong, parameters, arguments)       \
  TYPED(form, _string, parameters, arguments)
#define TYPED(form, type, parameters, arguments)                \
  COLLIO_TIMED(int, nc_put_##form##type, parameters, arguments) \
  COLLIO_TIMED(int, nc_get_##form##type, parameters, arguments)
#define CONST
#include "timers/functions.def"
