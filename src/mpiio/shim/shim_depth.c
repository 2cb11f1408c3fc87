/* See shim_depth.h. */
#include "mpiio/shim/shim_depth.h"

__thread int shim_depth, shim_own_depth;
static int engine_there;

void shim_note_engine(void) { __atomic_store_n(&engine_there, 1, __ATOMIC_RELAXED); }

void shim_own(int more) {
  shim_own_depth += more;
  shim_depth += more;
}

/* Not so on a thread of the engine's: there is no call that would end. */
int shim_inside(void) {
  return __atomic_load_n(&engine_there, __ATOMIC_RELAXED) && shim_depth > 0 && shim_own_depth == 0;
}

int shim_step_out(void) {
  const int where = shim_depth;
  shim_depth = shim_own_depth;
  return where;
}

void shim_come_back(int where) { shim_depth = where; }
