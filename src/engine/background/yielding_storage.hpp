// Storage for calls on fibers: while a write or read is under way, the fiber gives the program its thread
// back.
#pragma once

#include <memory>

#include "storage/storage.hpp"

namespace collio::engine {

/// `inner`, whose writes and reads a helper thread of the process does when they come from a fiber that gives
/// way. Without a fiber, and where no thread is to be had, they are done where they are called. The helper
/// knows no MPI.
[[nodiscard]] std::unique_ptr<storage::Storage> yielding(std::unique_ptr<storage::Storage> inner);

}  // namespace collio::engine
