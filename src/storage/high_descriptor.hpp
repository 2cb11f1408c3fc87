// Descriptors that collio's files take beside the MPI library's: a program with a thousand files open has
// none to spare.
#pragma once

namespace collio::storage {

/// `fd` under a number that the process could not have had when it began: the numbers below its soft limit
/// remain the program's. The limit is raised towards the hard one for it. `fd` itself where there is no such
/// number, or where it is -1. Not collective.
[[nodiscard]] int moved_high(int fd) noexcept;

}  // namespace collio::storage
