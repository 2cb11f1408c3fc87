/* Loads its MPI library so that calls do not come by the preload: the functions of the library's own. */
#include <dlfcn.h>
#include <stddef.h>

int main(int argc, char** argv) {
  int (*init)(int*, char***) = NULL;
  int (*finalize)(void) = NULL;
  void* library = dlopen(MPI_LIBRARY, RTLD_NOW | RTLD_GLOBAL | RTLD_DEEPBIND);
  if (!library) return 1;
  *(void**)&init = dlsym(library, "MPI_Init");
  *(void**)&finalize = dlsym(library, "MPI_Finalize");
  return !init || !finalize || init(&argc, &argv) || finalize();
}
