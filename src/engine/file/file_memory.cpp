// Which plan memory a file goes on with. See kept_memories.hpp.
#include <bit>
#include <optional>
#include <tuple>
#include <utility>

#include "core/content_hash.hpp"
#include "engine/file/file.hpp"

namespace collio::engine {

namespace {

/// All that plans rest on beside accesses.
std::uint64_t setting_of(const File& f, const storage::Opened& opened) {
  std::uint64_t h = 0;
  const auto fold = [&h](std::uint64_t value) { h = core::hash_step(h, value); };
  const auto fold_text = [&fold](const std::string& text) { fold(core::text_hash(text)); };
  for (const auto& [key, value] : f.records.in_force) fold_text(key + '=' + value);
  std::apply([&](auto... number) { (fold(std::bit_cast<std::uint64_t>(static_cast<double>(number))), ...); },
             machine::numbers_of(f.machine.storage));
  fold(opened.file && opened.file->overlaps() ? 1 : 0);
  fold(f.stored.readable ? 1 : 0);
  fold_text(std::string(policy::name_of(opened.kind)));
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

/// By what this rank alone knows. A rank that knows otherwise than before takes out another memory, or none.
void File::take_out_memory() {
  memory_key_ = {setting_of(*this, stored.opened()), rank, size};
  if (std::optional<PlanMemory> kept = take_memory(memory_key_)) plans.memory = std::move(*kept);
}

void File::forget_plans() {
  PlanMemory old = std::exchange(plans.memory, PlanMemory());
  if (!lacking_.anything()) keep_memory(memory_key_, std::move(old));
}

void File::take_up_memory(bool all_took_it, std::uint64_t new_token) {
  if (!all_took_it) keep_memory(memory_key_, std::exchange(plans.memory, PlanMemory()));
  if (plans.memory.token() == 0) plans.memory.set_token(new_token);
  number = new_token;
}

}  // namespace collio::engine
