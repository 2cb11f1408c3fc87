/* Error handlers of the program.
 *
 * A handler is the program: what it calls is the program's own, and it may leave by longjmp or by an
 * exception. Inside of a call that collio does it would find the thread marked as collio's, and leave
 * collio's frames behind. So the program's handlers are registered with a function of the shim's in front,
 * one for each, which puts them off until the call is over.
 *
 * Handlers that Open MPI's Fortran bindings make are not seen, and run at once.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "mpiio/shim/shim.h"
#include "mpiio/shim/shim_depth.h"

/* The types of MPI_File_errhandler_function and of MPI_Comm_errhandler_function: an object's handle, a code,
 * and what a library adds. */
typedef void (*handler_function)(void* object, int* code, ...);

enum { most_handlers = 64, most_waiting = 8 };

static handler_function handlers[most_handlers];
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

/* One that is put off. The object is the library's to pass by address: a copy. */
struct waiting {
  handler_function function;
  int is_file, code;
  char object[sizeof(handle)];
};
static __thread struct waiting waiting[most_waiting];
__thread int shim_handlers_waiting;

static size_t handle_bytes(int is_file) {
  const struct mpi_family* family = is_file ? NULL : shim_family();
  return family ? (size_t)family->comm_bytes : sizeof(handle);
}

static int put_off(int is_file, handler_function function, const void* object, const int* code) {
  if (!shim_inside() || shim_handlers_waiting == most_waiting) return 0;
  struct waiting* one = &waiting[shim_handlers_waiting++];
  one->function = function;
  one->is_file = is_file;
  one->code = *code;
  memcpy(one->object, object, handle_bytes(is_file));
  return 1;
}

static handle null_file(void) {
  const struct mpi_family* family = shim_family();
  return family ? shim_constant(&family->file_null) : NULL;
}

void shim_run_handlers(int no_file) {
  struct waiting now[most_waiting];
  const int count = shim_handlers_waiting;
  memcpy(now, waiting, sizeof now);
  shim_handlers_waiting = 0; /* a handler may not return */
  for (int i = 0; i < count; ++i) {
    if (now[i].is_file && no_file) {
      const handle none = null_file();
      memcpy(now[i].object, &none, sizeof none);
    }
    now[i].function(now[i].object, &now[i].code, NULL, NULL);
  }
}

/* What the library calls. `more`: two arguments that libraries add after those of the standard, if they add
 * any. */
static void run(int place, void* object, int* code, void* more[2]) {
  const int is_file = place % 2;
  if (put_off(is_file, handlers[place], object, code)) return;
  const int where = shim_step_out();
  handlers[place](object, code, more[0], more[1]);
  shim_come_back(where);
}

#define FRONT(place)                                        \
  static void front_##place(void* object, int* code, ...) { \
    va_list arguments;                                      \
    va_start(arguments, code);                              \
    void* more[2];                                          \
    more[0] = va_arg(arguments, void*);                     \
    more[1] = va_arg(arguments, void*);                     \
    va_end(arguments);                                      \
    run(place, object, code, more);                         \
  }
/* clang-format off */
#define EACH_OF_8(each, tens)                                                       \
  each(tens##0) each(tens##1) each(tens##2) each(tens##3)                           \
  each(tens##4) each(tens##5) each(tens##6) each(tens##7)
#define EACH(each)                                                                  \
  EACH_OF_8(each, 00) EACH_OF_8(each, 01) EACH_OF_8(each, 02) EACH_OF_8(each, 03)   \
  EACH_OF_8(each, 04) EACH_OF_8(each, 05) EACH_OF_8(each, 06) EACH_OF_8(each, 07)
/* clang-format on */
EACH(FRONT) /* octal: places 0 to 63 */

#define NAME(place) front_##place,
static const handler_function fronts[most_handlers] = {EACH(NAME)};

/* The function to register for `function`: files have odd places, communicators even ones. Itself when all
   places are taken, and when it is the engine's own, made in a call of collio's: that runs at once. */
static handler_function front_of(handler_function function, int is_file) {
  handler_function front = function;
  if (shim_inside()) return front;
  pthread_mutex_lock(&registering);
  for (int place = is_file; function && place < most_handlers; place += 2) {
    if (handlers[place] && handlers[place] != function) continue;
    handlers[place] = function;
    front = fronts[place];
    break;
  }
  pthread_mutex_unlock(&registering);
  return front;
}

#define COLLIO_DEFINE_CREATE(prefix, kind, is_file)                                         \
  EXPORT int shim_##prefix##kind##_create_errhandler(                                       \
      handler_function function, handle* made) __asm__(#prefix #kind "_create_errhandler"); \
  int shim_##prefix##kind##_create_errhandler(handler_function function, handle* made) {    \
    int (*create)(handler_function, handle*) = NULL;                                        \
    *(void**)&create = shim_find(#prefix #kind "_create_errhandler");                       \
    return create ? create(front_of(function, is_file), made)                               \
                  : shim_missing(#prefix #kind "_create_errhandler");                       \
  }
COLLIO_DEFINE_CREATE(MPI_, File, 1)
COLLIO_DEFINE_CREATE(PMPI_, File, 1)
COLLIO_DEFINE_CREATE(MPI_, Comm, 0)
COLLIO_DEFINE_CREATE(PMPI_, Comm, 0)
