// Copy loops for runs of small pieces.
//
// Most pieces of a scientific access are one to a few elements long; a call of memcpy for each costs more
// than the copy. Sizes 4, 8, 16, 32 and 64 have loops of their own, others up to 64 bytes take two or four
// overlapping moves, all exact: no byte beyond a piece is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/extent.hpp"

namespace collio::core {

template <std::size_t Size>
inline void copy_fixed(std::byte* to, const std::byte* from) noexcept {
  std::memcpy(to, from, Size);
}

/// First and last `Size` bytes of a piece of Size..2*Size bytes.
template <std::size_t Size>
inline void copy_ends(std::byte* to, const std::byte* from, std::size_t length) noexcept {
  std::byte head[Size], tail[Size];
  std::memcpy(head, from, Size);
  std::memcpy(tail, from + length - Size, Size);
  std::memcpy(to, head, Size);
  std::memcpy(to + length - Size, tail, Size);
}

inline void copy_piece(std::byte* to, const std::byte* from, std::size_t length) noexcept {
  if (length <= 16) {
    if (length >= 8)
      copy_ends<8>(to, from, length);
    else if (length >= 4)
      copy_ends<4>(to, from, length);
    else if (length >= 2)
      copy_ends<2>(to, from, length);
    else
      *to = *from;
  } else if (length <= 32) {
    copy_ends<16>(to, from, length);
  } else if (length <= 64) {
    copy_ends<32>(to, from, length);
  } else {
    std::memcpy(to, from, length);
  }
}

/// How far ahead of a copy its target is asked for: beyond what the store buffer can hide when another core
/// had the cache line last.
inline std::int64_t prefetch_distance(const Run& run) noexcept { return 16 * run.stride; }

template <std::size_t Size>
inline void gather_fixed(std::byte* out, const std::byte* from, const Run& run) noexcept {
  for (std::int64_t i = 0; i < run.count; ++i, out += Size, from += run.stride) copy_fixed<Size>(out, from);
}
template <std::size_t Size>
inline void scatter_fixed(std::byte* to, const Run& run, const std::byte* in) noexcept {
  const std::int64_t ahead = prefetch_distance(run);
  for (std::int64_t i = 0; i < run.count; ++i, in += Size, to += run.stride) {
    __builtin_prefetch(to + ahead, 1);
    copy_fixed<Size>(to, in);
  }
}

/// Copies the pieces of `run`, relative to `base`, to consecutive bytes at `out`. Returns their end.
inline std::byte* gather_run(std::byte* out, const std::byte* base, const Run& run) noexcept {
  const std::byte* from = base + run.offset;
  const auto length = static_cast<std::size_t>(run.length);
  if (run.count == 1) {
    copy_piece(out, from, length);
    return out + length;
  }
  switch (run.length) {
    case 4:
      gather_fixed<4>(out, from, run);
      break;
    case 8:
      gather_fixed<8>(out, from, run);
      break;
    case 16:
      gather_fixed<16>(out, from, run);
      break;
    case 32:
      gather_fixed<32>(out, from, run);
      break;
    case 64:
      gather_fixed<64>(out, from, run);
      break;
    default:
      for (std::int64_t i = 0; i < run.count; ++i)
        copy_piece(out + i * run.length, from + i * run.stride, length);
  }
  return out + run.bytes();
}

/// Copies consecutive bytes at `in` to the pieces of `run`, relative to `base`. Returns the end of the bytes.
inline const std::byte* scatter_run(std::byte* base, const Run& run, const std::byte* in) noexcept {
  std::byte* to = base + run.offset;
  const auto length = static_cast<std::size_t>(run.length);
  if (run.count == 1) {
    copy_piece(to, in, length);
    return in + length;
  }
  switch (run.length) {
    case 4:
      scatter_fixed<4>(to, run, in);
      break;
    case 8:
      scatter_fixed<8>(to, run, in);
      break;
    case 16:
      scatter_fixed<16>(to, run, in);
      break;
    case 32:
      scatter_fixed<32>(to, run, in);
      break;
    case 64:
      scatter_fixed<64>(to, run, in);
      break;
    default:
      for (std::int64_t i = 0; i < run.count; ++i)
        copy_piece(to + i * run.stride, in + i * run.length, length);
  }
  return in + run.bytes();
}

template <std::size_t Size>
inline void copy_run_fixed(std::byte* to, const std::byte* from, const Run& run) noexcept {
  for (std::int64_t i = 0; i < run.count; ++i, to += run.stride, from += run.stride)
    copy_fixed<Size>(to, from);
}

/// Copies the pieces of `run`, relative to `from`, to the same places relative to `to`.
inline void copy_run(std::byte* to, const std::byte* from, const Run& run) noexcept {
  to += run.offset;
  from += run.offset;
  switch (run.length) {
    case 4:
      return copy_run_fixed<4>(to, from, run);
    case 8:
      return copy_run_fixed<8>(to, from, run);
    default:
      for (std::int64_t i = 0; i < run.count; ++i)
        copy_piece(to + i * run.stride, from + i * run.stride, static_cast<std::size_t>(run.length));
  }
}

}  // namespace collio::core
