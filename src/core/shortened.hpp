// Text that fits: errors begin with what failed and end with what to do, so the middle gives way.
#pragma once

#include <cstddef>
#include <string>

namespace collio::core {

/// At most `most` bytes, at least 16: "..." stands for what is left out. No UTF-8 character is cut. Pure.
[[nodiscard]] inline std::string shortened(const std::string& text, std::size_t most) {
  constexpr const char* gap = "...";
  if (text.size() <= most) return text;
  const auto amid = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  std::size_t head = (most - 3) / 2, tail = text.size() - (most - 3 - head);
  while (head > 0 && amid(head)) --head;
  while (tail < text.size() && amid(tail)) ++tail;
  return text.substr(0, head) + gap + text.substr(tail);
}

}  // namespace collio::core
