// See library_progress.hpp.
//
// Open MPI's own nonblocking collectives move on this way: through a function registered with
// opal_progress().
#include "mpiio/library_progress.hpp"

#include <dlfcn.h>

#include "engine/background/work_queue.hpp"
#include "mpiio/data_calls.hpp"
#include "transport/waiting/mpi_library.hpp"

namespace collio::mpiio {

namespace {

int step() {
  own_calls(1);
  const bool ended = engine::step_all_queues();
  own_calls(-1);
  return ended ? 1 : 0;
}

void* find_register() {
  if (void* here = dlsym(RTLD_DEFAULT, "opal_progress_register")) return here;
  for (const char* name : {"libopen-pal.so.40", "libopen-pal.so.80"})
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD))
      if (void* found = dlsym(library, "opal_progress_register")) return found;
  return nullptr;
}

}  // namespace

void step_in_library_calls() {
  static const bool registered = [] {
    if (!transport::is_open_mpi()) return false;
    using Register = int (*)(int (*)());
    const auto function = reinterpret_cast<Register>(find_register());
    return function && function(step) == 0;
  }();
  static_cast<void>(registered);
}

}  // namespace collio::mpiio
