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
    : call_(call),
      domains_(call.plan.domains),
      teams_(teams_here(call)),
      team_(teams_.team_of(call.file.node_rank)),
      order_(order_request()) {}

flow::OrderRequest NodeWindows::order_request() const {
  const policy::Plan& plan = call_.plan;
  return {.domains = domains_,
          .homes = *call_.link.homes,
          .node = call_.file.node_index,
          .slots = plan.node_slots,
          .transit_slots = plan.several_nodes ? teams_.count : 0,
          .relays = call_.file.layers.nodes_per_group > 1,
          .slots_for = [this](int domain) { return role_of(domain) == NodeWindow::away ? teams_.count : 1; }};
}

transport::SlotLayout NodeWindows::layout() const noexcept {
  const policy::Plan& plan = call_.plan;
  return {order_.groups(), plan.domains.window_bytes, plan.masks, plan.mask_shift,
          plan.few_servers || (plan.several_nodes && plan.direction == policy::Direction::read)};
}

int NodeWindows::slots_used() const noexcept {
  const std::int64_t most = domains_.most_rounds() * domains_.count * teams_.count;
  return call_.plan.several_nodes ? order_.groups().slots()
                                  : static_cast<int>(std::min<std::int64_t>(call_.plan.node_slots, most));
}

NodeWindow::Role NodeWindows::role_of(int domain) const noexcept {
  const File& f = call_.file;
  const int home = home_of(call_, domain);
  if (home == f.node_index) return NodeWindow::home;
  const policy::Layers& layers = f.layers;
  const bool meets = layers.nodes_per_group > 1 && layers.group_of(home) != layers.group_of(f.node_index) &&
                     layers.relay(f.node_index, domain) == f.node_index;
  return meets ? NodeWindow::relay : NodeWindow::away;
}

void NodeWindows::add(NodeBatch& batch, const flow::Batch::Window& window) const {
  NodeWindow w;
  w.domain = window.domain;
  w.round = window.round;
  w.extent = domains_.window(w.domain, w.round);
  w.role = role_of(w.domain);
  w.slot = window.slot + (w.role == NodeWindow::away ? team_ : 0);
  const File& f = call_.file;
  const bool mail =
      w.role != NodeWindow::away && f.layers.senders_to(f.node_index, w.domain, home_of(call_, w.domain)) > 0;
  w.entry.offset = w.extent.offset;
  w.entry.batch_size = next_.slots;
  w.entry.parties = (w.role == NodeWindow::away ? teams_.size(team_) : f.slots->ranks()) + (mail ? 1 : 0);
  batch.windows.push_back(w);
}

bool NodeWindows::next(NodeBatch& batch) {
  batch.windows.clear();
  if (!order_.next(next_)) return false;
  batch.group = next_.group;
  for (const flow::Batch::Window& window : next_.windows) add(batch, window);
  call_.file.roll->come_to_round(next_.windows.front().round);
  const std::size_t first = batch.windows.size() * static_cast<std::size_t>(call_.file.node_rank) /
                            static_cast<std::size_t>(call_.file.slots->ranks());
  std::ranges::rotate(batch.windows, batch.windows.begin() + static_cast<std::ptrdiff_t>(first));
  return true;
}

bool serves(const Call& call) noexcept {
  return !call.plan.few_servers ||
         (call.link.my_domain >= 0 && call.link.my_domain < call.plan.domains.count);
}

bool serves_last(const Call& call) noexcept {
  return call.plan.several_nodes && !call.file.machine.storage.overlaps;
}

int mail_for(const Call& call, int domain) noexcept {
  const File& f = call.file;
  const int home = home_of(call, domain);
  const int receiver =
      home == f.node_index ? call.link.rank_of(domain) : f.leaders[static_cast<std::size_t>(f.node_index)];
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
