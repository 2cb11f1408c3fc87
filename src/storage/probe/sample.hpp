// One sample of how fast a target writes: random bytes into a new file, past the page cache.
//
// O_DIRECT is used where the file system has it. Elsewhere each block is written, started and awaited
// (sync_file_range), and the file is synced at the end. The bytes are random, so that nothing is gained by
// compressing them. The first block is not timed: it pays for the file's first space and locks, and it gets
// what an idle target has room for at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "storage/probe/target.hpp"
#include "storage/probe/watched_threads.hpp"

namespace collio::storage::probe {

/// How the bytes were made to reach the target.
enum class Way { direct, synced };

struct SampleSize {
  /// a multiple of block_bytes
  std::int64_t bytes = 0;
  /// of one write; a multiple of 4 KiB
  std::int64_t block_bytes = 0;
};
/// In blocks of a quarter, of 64 KiB to 4 MiB. Pure.
[[nodiscard]] SampleSize sample_of(std::int64_t bytes) noexcept;

struct Sample {
  std::int64_t bytes = 0;
  /// of all its writes
  double seconds = 0;
  /// without the first block, where there are two
  double bytes_per_s = 0;
  Way way = Way::direct;
  /// false: it was slow, and ended early
  bool whole = true;
  /// why not, where O_DIRECT was wanted
  std::string no_direct;
  core::Error error;
};

/// What samples have in common. Read by threads that may outlive their caller, so they share it.
struct SampleWork {
  SampleSize size;
  bool direct = true;
  /// size.block_bytes random bytes, on a page's border
  std::shared_ptr<const std::byte> block;
  /// a sample that takes longer ends early
  std::atomic<double> enough_s{1e9};
  /// after it, one ends early, too
  Progress::Clock::time_point end = Progress::Clock::time_point::max();
};
[[nodiscard]] std::shared_ptr<SampleWork> prepare_samples(const SampleSize& size, bool direct);

/// Makes a file, writes and removes it. Blocks as long as the target does.
[[nodiscard]] Sample take_sample(const Target& target, const SampleWork& work, Progress& progress);

}  // namespace collio::storage::probe
