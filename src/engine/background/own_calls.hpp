// Whose MPI calls a thread makes: the program's, or the engine's, which the shim passes by.
#pragma once

namespace collio::engine {

/// Called when those of a thread become the engine's (1), or the program's again (-1); set once, before any
/// call. Null: no shim is there, as collio is used as a library alone.
inline void (*own_calls_hook)(int more) = nullptr;

/// Not collective.
inline void own_calls(int more) {
  if (own_calls_hook) own_calls_hook(more);
}

}  // namespace collio::engine
