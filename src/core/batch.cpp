// See batch.hpp.
#include "core/batch.hpp"

#include <algorithm>

#include "core/copy.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define COLLIO_X86 1
#include <immintrin.h>
#else
#define COLLIO_X86 0
#endif

// Such a function reads bytes behind a piece on purpose: sanitizers do not report it.
#if defined(__GNUC__) || defined(__clang__)
#define COLLIO_READS_BEYOND __attribute__((no_sanitize("address", "thread")))
#else
#define COLLIO_READS_BEYOND
#endif

namespace collio::core {

namespace {

struct Batch {
  const std::byte* (*scatter)(std::byte*, std::span<const Run>, const std::byte*) noexcept;
  std::byte* (*gather)(std::byte*, const std::byte*, std::span<const Run>) noexcept;
  TilingSum (*sum)(std::span<const Run>) noexcept;
};

/// Pieces after which a cache line is needed that is asked for now: other cores may have had it last.
constexpr std::size_t ahead = 12;

const std::byte* scatter_plain(std::byte* base, std::span<const Run> runs, const std::byte* in) noexcept {
  for (const Run& run : runs) in = scatter_run(base, run, in);
  return in;
}

/// Bytes that one move takes, however short the piece is.
constexpr std::int64_t move_bytes = 16;

/// Whether a move from `from` stays on its page, and so reads nothing that is not mapped.
inline bool within_page(const std::byte* from) noexcept {
  constexpr std::uintptr_t page = 4096;
  return reinterpret_cast<std::uintptr_t>(from) % page <= page - move_bytes;
}

/// The first pieces that have at least one move's bytes of later pieces behind them, which are written after
/// them.
std::size_t followed(std::span<const Run> runs) noexcept {
  std::size_t first = runs.size();
  for (std::int64_t behind = 0; first > 0 && behind < move_bytes;) behind += runs[--first].bytes();
  return first;
}

/// Short pieces are moved with what lies behind them, without a branch on their length: the next piece is
/// written over that.
COLLIO_READS_BEYOND std::byte* gather_plain(std::byte* out, const std::byte* base,
                                            std::span<const Run> runs) noexcept {
  const std::size_t wide = followed(runs);
  for (std::size_t i = 0; i < wide; ++i) {
    const Run& run = runs[i];
    __builtin_prefetch(base + runs[std::min(i + ahead, runs.size() - 1)].offset);
    const std::byte* from = base + run.offset;
    if (run.count == 1 && run.length <= move_bytes && within_page(from)) [[likely]] {
      std::memcpy(out, from, move_bytes);
      out += run.length;
    } else {
      out = gather_run(out, base, run);
    }
  }
  for (const Run& run : runs.subspan(wide)) out = gather_run(out, base, run);
  return out;
}

/// Inlined into functions of several instruction sets: the compiler vectorises the loop over first pieces.
[[gnu::always_inline]] inline TilingSum sum_of(std::span<const Run> runs) noexcept {
  TilingSum sum;
  std::int64_t repeated = 0;
  for (const Run& run : runs) {
    sum.hash += tiling_hash(run.offset) - tiling_hash(run.offset + run.length);
    sum.bytes += run.length;
    repeated |= run.count - 1;
  }
  if (repeated == 0) return sum;
  for (const Run& run : runs) {
    for (std::int64_t i = 1; i < run.count; ++i) {
      const std::int64_t start = run.offset + i * run.stride;
      sum.hash += tiling_hash(start) - tiling_hash(start + run.length);
    }
    sum.bytes += run.bytes() - run.length;
  }
  return sum;
}

TilingSum sum_plain(std::span<const Run> runs) noexcept { return sum_of(runs); }

#if COLLIO_X86

#define COLLIO_WIDE gnu::target("avx512f,avx512bw,avx512vl,avx512dq,bmi2")

/// Distance from one piece to the next, on both sides.
struct Steps {
  std::int64_t to = 0, from = 0;
};

/// `count` pieces of equal length; exactly their bytes are read and written.
[[COLLIO_WIDE, gnu::always_inline]] inline void copy_wide(std::byte* to, const std::byte* from,
                                                          const Run& run, Steps step) noexcept {
  if (run.length <= 16) {
    const auto mask = static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<unsigned>(run.length)));
    for (std::int64_t i = run.count; i > 0; --i, to += step.to, from += step.from)
      _mm_mask_storeu_epi8(to, mask, _mm_maskz_loadu_epi8(mask, from));
  } else if (run.length <= 64) {
    const auto mask = static_cast<__mmask64>(_bzhi_u64(~0ull, static_cast<unsigned>(run.length)));
    for (std::int64_t i = run.count; i > 0; --i, to += step.to, from += step.from)
      _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
  } else {
    for (std::int64_t i = run.count; i > 0; --i, to += step.to, from += step.from)
      std::memcpy(to, from, static_cast<std::size_t>(run.length));
  }
}

/// Long runs have loops of their own, which ask for cache lines ahead.
constexpr std::int64_t long_run = 16;

[[COLLIO_WIDE]] const std::byte* scatter_wide(std::byte* base, std::span<const Run> runs,
                                              const std::byte* in) noexcept {
  if (runs.empty()) return in;
  const std::size_t last = runs.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const Run& run = runs[i];
    __builtin_prefetch(base + runs[std::min(i + ahead, last)].offset, 1);
    if (run.count >= long_run) {
      in = scatter_run(base, run, in);
    } else {
      copy_wide(base + run.offset, in, run, {run.stride, run.length});
      in += run.bytes();
    }
  }
  return in;
}

[[COLLIO_WIDE]] std::byte* gather_wide(std::byte* out, const std::byte* base,
                                       std::span<const Run> runs) noexcept {
  if (runs.empty()) return out;
  const std::size_t last = runs.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const Run& run = runs[i];
    __builtin_prefetch(base + runs[std::min(i + ahead, last)].offset);
    if (run.count >= long_run) {
      out = gather_run(out, base, run);
    } else {
      copy_wide(out, base + run.offset, run, {run.length, run.stride});
      out += run.bytes();
    }
  }
  return out;
}

[[COLLIO_WIDE]] TilingSum sum_wide(std::span<const Run> runs) noexcept { return sum_of(runs); }

bool has_wide() noexcept {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("bmi2");
}

const Batch batch =
    has_wide() ? Batch{scatter_wide, gather_wide, sum_wide} : Batch{scatter_plain, gather_plain, sum_plain};

#else

const Batch batch{scatter_plain, gather_plain, sum_plain};

#endif

}  // namespace

const std::byte* scatter_runs(std::byte* base, std::span<const Run> runs, const std::byte* in) noexcept {
  return batch.scatter(base, runs, in);
}
std::byte* gather_runs(std::byte* out, const std::byte* base, std::span<const Run> runs) noexcept {
  return batch.gather(out, base, runs);
}
TilingSum tiling_sum(std::span<const Run> runs) noexcept { return batch.sum(runs); }

}  // namespace collio::core
