// Numbers as places in a vector.
#pragma once

#include <concepts>
#include <cstddef>

namespace collio::core {

/// `i` >= 0 as an index.
[[nodiscard]] constexpr std::size_t at(std::integral auto i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace collio::core
