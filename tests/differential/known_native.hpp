// Faults of the MPI libraries themselves that the fuzzer keeps meeting: it does not stop for them.
// Each entry is described, with its smallest case, in README.md of this folder.
#pragma once

#include <string>

#include "case.hpp"
#include "session.hpp"

namespace collio::differential {

enum class Library { mpich, open_mpi, other };

[[nodiscard]] Library running_library();

/// Why the MPI library's own I/O must not even be tried on this case (it would crash or hang); null when it
/// may.
[[nodiscard]] const char* native_unsafe(Library library, const Case& subject);

/// Name of the known fault that explains a difference between the MPI library's own I/O and the model; null
/// when it is news.
[[nodiscard]] const char* native_known(Library library, const Case& subject, const Finding& finding);

}  // namespace collio::differential
