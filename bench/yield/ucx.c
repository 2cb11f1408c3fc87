/* UCX behind this preload: its functions, and the worker in use. */
#include "ucx.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic(void*) last_worker;

void remember_worker(void* worker) { atomic_store_explicit(&last_worker, worker, memory_order_relaxed); }

void* remembered_worker(void) { return atomic_load_explicit(&last_worker, memory_order_relaxed); }

void* find_ucp(const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  if (symbol == NULL) { /* UCX was loaded privately, by an MPI that was dlopen'ed itself */
    void* library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) symbol = dlsym(library, name);
  }
  if (symbol ==
      NULL) { /* somebody calls a function that is nowhere: nothing right can be returned, and 0 would hang */
    fprintf(stderr, "collio_yield: %s is called, but no loaded library has it: %s\n", name, dlerror());
    abort();
  }
  return symbol;
}
