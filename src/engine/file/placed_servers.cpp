// See placed_servers.hpp.
#include "engine/file/placed_servers.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "engine/file/buffers.hpp"
#include "engine/file/file.hpp"

namespace collio::engine {

core::Error PlacedServers::add(const ServedFile& file, const Placed& placed) {
  std::erase_if(known_, [](const Known& known) { return known.placed.expired(); });
  const std::size_t before = known_.size();
  core::Error mine;
  std::string what;
  std::int64_t lacks_memory = 0;
  try {
    what = "cannot serve its domains";
    known_.push_back({placed, file.in_order.in_order_of(placed->seat_of_domain, file.place, file.rank)});
    if (known_.back().servers.mine >= 0) mine = file.open();
  } catch (const std::bad_alloc&) {  // the others wait in the agreement
    lacks_memory = 1;
    mine = {core::ErrorClass::no_memory, "no memory"};
  }
  core::Error failed = file.agreement.worst(mine, what, {&lacks_memory, 1});
  if (lacks_memory > 0) {
    known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(before), known_.end());  // on all ranks
    return failed;
  }
  Servers& servers = known_.back().servers;
  if (!failed.ok()) servers = file.in_order;
  serves_ = serves_ || servers.mine >= 0 || servers.receives;
  return failed;
}

Servers PlacedServers::of(const ServedFile& file, const Placed& placed, std::optional<core::Error>& begun) {
  if (!placed || placed->seat_of_domain.empty()) return file.in_order;
  if (!file.in_order.has_spare(placed->seat_of_domain))
    return file.in_order.in_order_of(placed->seat_of_domain, file.place, file.rank);
  const auto is_it = [&](const Known& known) { return known.placed.lock() == placed; };
  auto known = std::ranges::find_if(known_, is_it);
  if (known == known_.end()) {
    begun = add(file, placed);
    known = std::ranges::find_if(known_, is_it);
  }
  return known == known_.end() ? file.in_order : known->servers;
}

Servers servers_of(const Buffers& buffers, const policy::Plan& plan) {
  File& file = buffers.ranks.file;
  const auto open = [&file] {
    core::Error error;
    if (!file.stored.all_hold) static_cast<void>(file.stored.handle(&error));
    return error;
  };
  std::optional<core::Error> begun;
  Servers servers = file.placed_servers.of(
      {file.servers, file.place(), file.rank, buffers.ranks.agreement, open}, plan.placed, begun);
  if (!begun) return servers;
  buffers.mail_room_bytes = 0;  // other ranks receive
  if (begun->ok()) return servers;
  std::string text = "domains are served by aggregators in order: " + begun->message;
  std::vector<std::string>& warnings = file.records.warnings;
  if (std::ranges::find(warnings, text) == warnings.end()) warnings.push_back(std::move(text));
  return servers;
}

}  // namespace collio::engine
