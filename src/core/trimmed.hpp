// Text without the blanks around it.
#pragma once

#include <string_view>

namespace collio::core {

inline constexpr std::string_view blanks = " \t\r\n";

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace collio::core
