// What a rank sees of its node and its process, without MPI. Nothing here is collective.
#pragma once

#include <cstdint>
#include <string>

namespace collio::doctor {

/// Path of the first loaded library whose file name begins so; empty: none.
[[nodiscard]] std::string loaded_library(const char* begin);

/// Bytes free in /dev/shm; -1: there is none.
[[nodiscard]] std::int64_t free_shared_memory();

/// 0, or errno of io_uring_setup(2).
[[nodiscard]] int try_io_uring();

/// 0, or errno: whether files in `folder` can be locked by byte ranges. Makes a file there and removes it.
[[nodiscard]] int try_locks(const std::string& folder);

/// Cores this process may run on.
[[nodiscard]] int usable_cores();

}  // namespace collio::doctor
