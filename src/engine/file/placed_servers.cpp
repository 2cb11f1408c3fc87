// See placed_servers.hpp.
#include "engine/file/placed_servers.hpp"

#include <utility>

#include "engine/file/buffers.hpp"
#include "engine/file/file.hpp"

namespace collio::engine {

bool PlacedServers::opened(const Buffers& buffers, const policy::Plan& plan, const Servers& servers) {
  File& file = buffers.ranks.file;
  std::erase_if(known_, [](const Known& known) { return known.placed.expired(); });
  for (const Known& known : known_)
    if (known.placed.lock() == plan.placed) return known.open;
  core::Error failed;
  if (!file.stored.all_hold) {
    core::Error mine;
    if (servers.mine >= 0) static_cast<void>(file.stored.handle(&mine));
    failed = buffers.ranks.agreement.worst(mine, "cannot open " + file.path);
  }
  if (!failed.ok())
    file.records.warnings.push_back("domains are served by aggregators in order: " + failed.message);
  serves_ = serves_ || servers.mine >= 0 || servers.receives;
  buffers.mail_room_bytes = 0;  // other ranks receive
  known_.push_back({plan.placed, failed.ok()});
  return failed.ok();
}

Servers PlacedServers::of(const Buffers& buffers, const policy::Plan& plan) {
  const File& file = buffers.ranks.file;
  if (!plan.placed || plan.placed->seat_of_domain.empty()) return file.servers;
  if (last_placed_.lock() == plan.placed) return last_;
  const std::vector<int>& seats = plan.placed->seat_of_domain;
  Servers servers = file.servers.in_order_of(seats, file.place(), file.rank);
  if (!file.servers.has_spare(seats)) return servers;
  last_ = opened(buffers, plan, servers) ? std::move(servers) : file.servers;
  last_placed_ = plan.placed;
  return last_;
}

}  // namespace collio::engine
