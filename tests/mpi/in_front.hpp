// For test programs that stand in front of MPI functions as collio calls them: by the profiling names. The
// program's own definition of such a name is what everybody in the process calls, the MPI library itself
// included.
#pragma once

#include <dlfcn.h>

#include <cstring>

namespace collio::test {

template <class Function>
Function* behind(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Whether a call comes from collio's engine: `caller` is __builtin_return_address(0).
inline bool from_engine(const void* caller) {
  Dl_info where;
  return dladdr(caller, &where) && where.dli_fname && std::strstr(where.dli_fname, "libcollio_engine");
}

}  // namespace collio::test

/// The MPI library's function of a name that the program defines.
#define COLLIO_BEHIND(name) (collio::test::behind<decltype(name)>(#name))
