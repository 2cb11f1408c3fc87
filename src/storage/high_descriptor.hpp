// Descriptors that collio's files take beside the MPI library's: a program with a thousand files open has
// none to spare.
#pragma once

namespace collio::storage {

/// `fd` under a number above the process's soft limit: the numbers below it remain the program's. The limit
/// stays as it is. `fd` itself where it is -1, where the hard limit allows no such number, or where the
/// program has lowered the soft one since the first call. Not collective.
[[nodiscard]] int moved_high(int fd) noexcept;

}  // namespace collio::storage
