// See library_progress.hpp.
//
// Open MPI's own nonblocking collectives move on this way: through a function registered with
// opal_progress().
#include "engine/background/library_progress.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

#include "access/mpi_life.hpp"
#include "engine/background/own_calls.hpp"
#include "engine/background/work_queue.hpp"
#include "transport/waiting/mpi_library.hpp"

namespace collio::engine {

namespace {

int step() {
  own_calls(1);
  const bool ended = step_all_queues();
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
  if (!transport::is_open_mpi()) return;
  static std::atomic<std::uint64_t> registered{0};  // in which life of MPI
  const std::uint64_t life = access::mpi_life();
  if (registered.exchange(life) == life) return;
  using Register = int (*)(int (*)());
  if (const auto function = reinterpret_cast<Register>(find_register())) static_cast<void>(function(step));
}

}  // namespace collio::engine
