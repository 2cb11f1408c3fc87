// Which plan memory a file goes on with. See kept_memories.hpp.
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "core/content_hash.hpp"
#include "engine/file/file.hpp"

namespace collio::engine {

namespace {

/// All that plans rest on beside accesses.
std::uint64_t setting_of(const File& f) {
  std::uint64_t h = 0;
  const auto fold = [&h](std::uint64_t value) { h = core::hash_step(h, value); };
  const auto fold_text = [&fold](const std::string& text) { fold(std::hash<std::string>{}(text)); };
  for (const auto& [key, value] : f.hints.in_force) fold_text(key + '=' + value);
  const machine::StorageModel& storage = f.machine.storage;
  for (const std::int64_t bytes :
       {storage.block_bytes, storage.block_without_layout(), storage.window_bytes, storage.node_buffer_bytes})
    fold(static_cast<std::uint64_t>(bytes));
  for (const double number : {storage.operation_s, storage.bandwidth_bytes_per_s})
    fold(std::bit_cast<std::uint64_t>(number));
  fold(static_cast<std::uint64_t>(storage.aggregators_per_core));
  fold(storage.in_memory ? 1 : 0);
  fold(static_cast<std::uint64_t>(storage.layout.unit_bytes));
  fold(static_cast<std::uint64_t>(storage.layout.count));
  fold(storage.overlaps ? 1 : 0);
  fold(f.readable ? 1 : 0);
  fold_text(f.storage_use.kind);
  fold_text(f.machine.network ? f.machine.network->name : "");
  for (const machine::Node& n : f.machine.nodes) {
    fold_text(n.name);
    fold(static_cast<std::uint64_t>(n.ranks) << 32 | static_cast<std::uint32_t>(n.cores));
    fold(static_cast<std::uint64_t>(n.network_node));
  }
  for (const int rank : f.servers.ranks) fold(static_cast<std::uint64_t>(rank));
  return h;
}

}  // namespace

void File::take_up_memory() {
  memory_key_ = {setting_of(*this), rank, size};
  std::array<std::uint64_t, 2> tokens{};  // of the memory to go on with, and else of the new one
  if (rank == 0) tokens = {kept_token(memory_key_), new_token()};
  std::vector<std::int32_t> words(sizeof tokens / sizeof(std::int32_t));
  std::memcpy(words.data(), tokens.data(), sizeof tokens);
  agreement->sum(words);  // the other ranks' are 0
  std::memcpy(tokens.data(), words.data(), sizeof tokens);
  if (tokens[0] != 0) {
    std::optional<PlanMemory> kept = take_memory(tokens[0], memory_key_);
    if (agreement->least(kept ? 1 : 0) == 1) memory = std::move(*kept);
  }
  if (memory.token() == 0) memory.set_token(tokens[1]);
}

}  // namespace collio::engine
