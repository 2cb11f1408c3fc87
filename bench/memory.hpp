// Peak memory of this process above what it held before an operation. Linux; elsewhere the answers are zero.
#pragma once

#include <cstdint>

namespace collio::bench {

/// Give free heap pages back and return the resident bytes now: the base to subtract. Once per process, when
/// all buffers are there: later operations keep what the heap kept, as in any program that runs on.
[[nodiscard]] std::int64_t settle_memory();

/// Start the kernel's high-water mark anew.
void reset_peak();

/// Largest number of resident bytes since reset_peak, less `base`; not below zero.
[[nodiscard]] std::int64_t peak_above(std::int64_t base);

}  // namespace collio::bench
