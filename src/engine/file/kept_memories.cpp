// See kept_memories.hpp.
#include "engine/file/kept_memories.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <random>
#include <utility>

#include "core/content_hash.hpp"

namespace collio::engine {

namespace {

constexpr std::size_t most_memories = 8;

struct KeptMemories {
  std::mutex mutex;
  /// the latest first
  std::deque<std::pair<MemoryKey, PlanMemory>> memories;
};

KeptMemories& kept() {
  static auto* k = new KeptMemories;
  return *k;
}

}  // namespace

std::optional<PlanMemory> take_memory(const MemoryKey& key) {
  KeptMemories& k = kept();
  const std::lock_guard lock(k.mutex);
  const auto found = std::ranges::find(k.memories, key, &std::pair<MemoryKey, PlanMemory>::first);
  if (found == k.memories.end()) return {};
  std::optional<PlanMemory> memory(std::move(found->second));
  k.memories.erase(found);
  return memory;
}

void keep_memory(const MemoryKey& key, PlanMemory&& memory) {
  if (memory.token() == 0 || memory.empty()) return;
  KeptMemories& k = kept();
  const std::lock_guard lock(k.mutex);
  k.memories.emplace_front(key, std::move(memory));
  if (k.memories.size() > most_memories) k.memories.pop_back();
}

std::uint64_t new_token() {
  static const std::uint64_t process = [] {  // a device costs 10 us to make
    std::random_device device;
    return static_cast<std::uint64_t>(device()) << 32 | device();
  }();
  static std::atomic<std::uint64_t> count{0};
  return core::hash_step(process, ++count) | 1U;
}

}  // namespace collio::engine
