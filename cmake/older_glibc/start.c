/* Starts a program of a package on C libraries before 2.34 too. Those call one function for a program's
 * constructors; a program linked on a newer one passes none, as there the C library finds them. Destructors
 * are run by the loader on all of them.
 */
#include <stddef.h>

typedef void constructor(int, char**, char**);
typedef int start(int (*main)(int, char**, char**), int count, char** words,
                  void (*construct)(int, char**, char**), void (*destruct)(void), void (*end_loader)(void),
                  void* end_of_stack);

extern start oldest_start;
__asm__(".symver oldest_start, __libc_start_main@" OLDEST_VERSION);

extern constructor* __preinit_array_start[] __attribute__((visibility("hidden")));
extern constructor* __preinit_array_end[] __attribute__((visibility("hidden")));
extern constructor* __init_array_start[] __attribute__((visibility("hidden")));
extern constructor* __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);

static void construct_all(int count, char** words, char** environment) {
  for (constructor** c = __preinit_array_start; c < __preinit_array_end; ++c) (*c)(count, words, environment);
  _init();
  for (constructor** c = __init_array_start; c < __init_array_end; ++c) (*c)(count, words, environment);
}

/* What the compiler's start file calls. */
__attribute__((visibility("hidden"))) int __libc_start_main(int (*main)(int, char**, char**), int count,
                                                            char** words,
                                                            void (*construct)(int, char**, char**),
                                                            void (*destruct)(void), void (*end_loader)(void),
                                                            void* end_of_stack) {
  (void)construct;
  return oldest_start(main, count, words, construct_all, destruct, end_loader, end_of_stack);
}
