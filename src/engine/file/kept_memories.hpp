// Plan memories of closed files, for the next file that the same ranks open in the same setting.
//
// A program that opens a file for every checkpoint writes one pattern in all of them: what was found out
// about it, trials included, is the job's and not the file's. Every process keeps its own part and takes
// out the one it would go on with; the file goes on with it if all ranks took out parts of one memory.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/file/plan_memory.hpp"

namespace collio::engine {

/// What a plan rests on beside the access: two files with the same key plan alike.
struct MemoryKey {
  /// a hash
  std::uint64_t setting = 0;
  int rank = 0, size = 1;
  bool operator==(const MemoryKey&) const = default;
};

/// The memory with this key that was kept last, which is kept no longer; nothing: none is. Not collective,
/// thread-safe, as the others.
[[nodiscard]] std::optional<PlanMemory> take_memory(const MemoryKey& key);
/// Keeps the last few. A memory without a token, or without a pattern in it, is not kept.
void keep_memory(const MemoryKey& key, PlanMemory&& memory);
/// Never the same on two processes, or twice on one.
[[nodiscard]] std::uint64_t new_token();

}  // namespace collio::engine
