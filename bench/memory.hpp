// Peak memory of this process above what it held before an operation. Linux; elsewhere the answers are zero.
#pragma once

#include <cstdint>

namespace collio::bench {

/// Give free heap pages back, reset the kernel's high-water mark and return the resident bytes now: the base
/// to subtract.
[[nodiscard]] std::int64_t start_peak_watch();

/// Largest number of resident bytes since start_peak_watch, less `base`; not below zero.
[[nodiscard]] std::int64_t peak_above(std::int64_t base);

}  // namespace collio::bench
