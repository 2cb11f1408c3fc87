/* libcollio_job_view.so, which `collio run` preloads behind libcollio_mpiio.so: ranks see placeholders as the
   files, as PnetCDF, netCDF and HDF5 look at the first bytes of a file before they open it by MPI.

   Calls of the MPI library and of the engine see the placeholder. It replaces neither munmap(2) nor
   mremap(2): Open MPI puts its hooks into the functions that have these names, and would no longer hear of
   memory that the C library gives back. Nor syscall(2), by which such hooks call the kernel: what opens
   and looks at a file by it sees the placeholder. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "view/view.h"

const int view_in_job = 1;

/* Of libcollio_mpiio.so (mpiio/shim/shim.c). */
int view_may_serve(void) {
  static int (*program_opens)(void);
  static int looked;
  if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
    *(void**)&program_opens = dlsym(RTLD_DEFAULT, "collio_program_opens");
    __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
  }
  return program_opens && program_opens();
}

/* The engine looks at files on threads of its own, and for the library's calls, which libcollio_mpiio.so does
   not see. */
int view_serves(const void* caller) {
  static const char engine[] = "libcollio_engine_";
  Dl_info of;
  if (!dladdr(caller, &of) || !of.dli_fname) return 1;
  const char* slash = strrchr(of.dli_fname, '/');
  return strncmp(slash ? slash + 1 : of.dli_fname, engine, sizeof engine - 1) != 0;
}
