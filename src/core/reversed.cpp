// See reversed.hpp.
#include "core/reversed.hpp"

#include <algorithm>
#include <cstring>

namespace collio::core {

namespace {

std::uint16_t turned(std::uint16_t value) { return __builtin_bswap16(value); }
std::uint32_t turned(std::uint32_t value) { return __builtin_bswap32(value); }
std::uint64_t turned(std::uint64_t value) { return __builtin_bswap64(value); }

template <class Word>
void turn_words(std::byte* to, const std::byte* from, std::int64_t words) {
  for (std::int64_t i = 0; i < words; ++i, to += sizeof(Word), from += sizeof(Word)) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    word = turned(word);
    std::memcpy(to, &word, sizeof word);
  }
}

/// Where byte `i` of memory from `memory` on is in its element's other order, from `memory` on.
std::int64_t mirror(const std::byte* memory, std::int64_t i, int element_bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory) + static_cast<std::uintptr_t>(i);
  const auto place = static_cast<std::int64_t>(address % static_cast<std::uintptr_t>(element_bytes));
  return i + element_bytes - 1 - 2 * place;
}

/// Bytes from `memory` on that belong to an element which began before.
std::int64_t head_of(const std::byte* memory, std::int64_t bytes, int element_bytes) {
  const auto place = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory) %
                                               static_cast<std::uintptr_t>(element_bytes));
  return std::min(bytes, place == 0 ? 0 : element_bytes - place);
}

}  // namespace

void turn_elements(std::byte* to, const std::byte* from, std::int64_t bytes, int element_bytes) noexcept {
  if (element_bytes == 2) return turn_words<std::uint16_t>(to, from, bytes / 2);
  if (element_bytes == 4) return turn_words<std::uint32_t>(to, from, bytes / 4);
  turn_words<std::uint64_t>(to, from, bytes / 8);
}

void gather_reversed(std::byte* out, const std::byte* memory, std::int64_t bytes,
                     int element_bytes) noexcept {
  const std::int64_t head = head_of(memory, bytes, element_bytes);
  for (std::int64_t i = 0; i < head; ++i) out[i] = memory[mirror(memory, i, element_bytes)];
  const std::int64_t whole = (bytes - head) / element_bytes * element_bytes;
  turn_elements(out + head, memory + head, whole, element_bytes);
  for (std::int64_t i = head + whole; i < bytes; ++i) out[i] = memory[mirror(memory, i, element_bytes)];
}

void scatter_reversed(std::byte* memory, const std::byte* in, std::int64_t bytes,
                      int element_bytes) noexcept {
  const std::int64_t head = head_of(memory, bytes, element_bytes);
  for (std::int64_t i = 0; i < head; ++i) memory[mirror(memory, i, element_bytes)] = in[i];
  const std::int64_t whole = (bytes - head) / element_bytes * element_bytes;
  turn_elements(memory + head, in + head, whole, element_bytes);
  for (std::int64_t i = head + whole; i < bytes; ++i) memory[mirror(memory, i, element_bytes)] = in[i];
}

}  // namespace collio::core
