// What is done to every piece of an access: copying it, and adding it to the tiling check, a batch at a time.
//
// An irregular access has millions of pieces of a few bytes, of lengths no branch predictor guesses. Where
// the processor has masked moves (AVX-512 BW and VL), a piece of up to 64 bytes is one load and one store of
// exactly its bytes, without a branch on its length; chosen at run time. Elsewhere short pieces are gathered
// 16 bytes at a time, each over what the one before it brought along, and copy.hpp's loops do the rest.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "core/packed_extents.hpp"
#include "core/tiling.hpp"

namespace collio::core {

/// Copies consecutive bytes at `in` to the pieces of `runs`, relative to `base`. Returns the end of the
/// bytes.
const std::byte* scatter_runs(std::byte* base, std::span<const Run> runs, const std::byte* in) noexcept;
/// Copies the pieces of `runs`, relative to `base`, to consecutive bytes at `out`. Returns their end.
std::byte* gather_runs(std::byte* out, const std::byte* base, std::span<const Run> runs) noexcept;
/// The sum over all pieces of `runs`.
[[nodiscard]] TilingSum tiling_sum(std::span<const Run> runs) noexcept;

/// Calls sink(span of runs) for the next `items` items of a list, a batch at a time.
template <class Sink>
void for_each_batch(PackedReader reader, std::int64_t items, Sink&& sink) {
  std::array<Run, 128> batch;
  while (items > 0) {
    const auto n = static_cast<std::size_t>(std::min<std::int64_t>(items, batch.size()));
    for (std::size_t i = 0; i < n; ++i) batch[i] = reader.next();
    sink(std::span<const Run>(batch.data(), n));
    items -= static_cast<std::int64_t>(n);
  }
}

}  // namespace collio::core
