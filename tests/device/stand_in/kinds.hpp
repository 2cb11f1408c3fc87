// Kinds of memory that a driver knows.
#pragma once

namespace collio::test {

enum class Kind {
  device,
  pool,     ///< device memory of no context
  managed,  ///< the CPU can touch it, as it can the next
  pinned,
};

}  // namespace collio::test
