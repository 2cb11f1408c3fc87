// See node_windows.hpp.
#include "engine/two_layer/node_windows.hpp"

#include <algorithm>

namespace collio::engine {

namespace {

int home_of(const Call& call, int domain) noexcept { return call.link.home_of(domain); }

const policy::Teams& teams_here(const Call& call) noexcept {
  return call.file.layers.teams[static_cast<std::size_t>(call.file.node_index)];
}

}  // namespace

NodeWindows::NodeWindows(const Call& call)
    : call_(call), domains_(call.plan.domains), teams_(teams_here(call)), team_(teams_.team_of(call.file.node_rank)),
      end_(domains_.most_rounds() * domains_.count) {}

NodeWindow::Role NodeWindows::role_of(int domain) const noexcept {
  const File& f = call_.file;
  const int home = home_of(call_, domain);
  if (home == f.node_index) return NodeWindow::home;
  const policy::Layers& layers = f.layers;
  const bool meets = layers.nodes_per_group > 1 && layers.group_of(home) != layers.group_of(f.node_index) &&
                     layers.relay(f.node_index, domain) == f.node_index;
  return meets ? NodeWindow::relay : NodeWindow::away;
}

int NodeWindows::slots_for(int domain) const noexcept { return role_of(domain) == NodeWindow::away ? teams_.count : 1; }

void NodeWindows::add(NodeBatch& batch, std::int64_t number, int slot) const {
  NodeWindow w;
  w.domain = static_cast<int>(number % domains_.count);
  w.round = number / domains_.count;
  w.extent = domains_.window(w.domain, w.round);
  w.role = role_of(w.domain);
  w.slot = slot + (w.role == NodeWindow::away ? team_ : 0);
  const File& f = call_.file;
  const bool mail = w.role != NodeWindow::away &&
                    f.layers.senders_to(f.node_index, w.domain, home_of(call_, w.domain)) > 0;
  w.entry.offset = w.extent.offset;
  w.entry.parties = (w.role == NodeWindow::away ? teams_.size(team_) : f.slots->ranks()) + (mail ? 1 : 0);
  batch.windows.push_back(w);
}

bool NodeWindows::next(NodeBatch& batch) {
  batch.windows.clear();
  batch.half = static_cast<int>(batches_ % 2);
  const int most = call_.plan.slots_per_half;
  int taken = 0;
  for (; begin_ < end_; ++begin_) {
    const auto domain = static_cast<int>(begin_ % domains_.count);
    if (domains_.window(domain, begin_ / domains_.count).length <= 0) continue;  // not all domains are of one length
    if (taken + slots_for(domain) > most) break;
    add(batch, begin_, batch.half * most + taken);
    taken += slots_for(domain);
  }
  if (batch.windows.empty()) return false;
  ++batches_;
  call_.file.roll->come_to_round(batch.windows.front().round);
  for (NodeWindow& w : batch.windows) w.entry.batch_size = taken;
  const std::size_t first = batch.windows.size() * static_cast<std::size_t>(call_.file.node_rank) /
                            static_cast<std::size_t>(call_.file.slots->ranks());
  std::ranges::rotate(batch.windows, batch.windows.begin() + static_cast<std::ptrdiff_t>(first));
  return true;
}

bool serves(const Call& call) noexcept {
  return !call.plan.few_servers || (call.link.my_domain >= 0 && call.link.my_domain < call.plan.domains.count);
}

transport::SlotLayout layout_of(const policy::Plan& plan) noexcept {
  return {plan.slots_per_half, plan.domains.window_bytes, plan.masks, plan.mask_shift, plan.few_servers};
}

int slots_used(const Call& call) noexcept {
  const policy::Domains& domains = call.plan.domains;
  const std::int64_t most = domains.most_rounds() * domains.count * teams_here(call).count;
  return static_cast<int>(std::min<std::int64_t>(2 * call.plan.slots_per_half, most));
}

int mail_for(const Call& call, int domain) noexcept {
  const File& f = call.file;
  const int home = home_of(call, domain);
  const int receiver = home == f.node_index ? call.link.rank_of(domain)
                                            : f.leaders[static_cast<std::size_t>(f.node_index)];
  return receiver == f.rank ? f.layers.senders_to(f.node_index, domain, home) : 0;
}

int next_node(const Call& call, int domain) noexcept {
  return call.file.layers.next_hop(call.file.node_index, domain, home_of(call, domain));
}

int next_rank(const Call& call, int domain) noexcept {
  const File& f = call.file;
  const int hop = next_node(call, domain);
  return hop == home_of(call, domain) ? call.link.rank_of(domain) : f.leaders[static_cast<std::size_t>(hop)];
}

}  // namespace collio::engine
