// See node_windows.hpp.
#include "engine/two_layer/node_windows.hpp"

#include <algorithm>

namespace collio::engine {

namespace {

int home_of(const CollectiveCall& call, int domain) noexcept { return call.link.home_of(domain); }

/// Whether any rank of this node does, where everyone has pieces.
bool gets_mail(const CollectiveCall& call, int domain) noexcept {
  const File& f = call.file;
  const int home = home_of(call, domain);
  return home == f.place().seat.node ? call.plan.several_nodes
                                     : f.layers.senders_to(f.place().seat.node, domain, home) > 0;
}

const policy::Teams& teams_here(const CollectiveCall& call) noexcept {
  return call.file.layers.teams[static_cast<std::size_t>(call.file.place().seat.node)];
}

}  // namespace

NodeWindows::NodeWindows(CollectiveCall& call)
    : call_(call),
      domains_(call.plan.domains),
      teams_(teams_here(call)),
      team_(teams_.team_of(call.file.place().seat.local_rank)),
      tally_(call),
      order_(order_request()) {
  for (NodeLane& lane : lanes_) advance(lane);
}

flow::OrderRequest NodeWindows::order_request() const {
  const policy::Plan& plan = call_.plan;
  return {.domains = domains_,
          .homes = *call_.link.homes,
          .node = call_.file.place().seat.node,
          .slots = plan.node_slots * plan.window_slots,
          .window_slots = plan.window_slots,
          .several_nodes = plan.several_nodes,
          .relays = call_.file.layers.nodes_per_group > 1,
          .room_for = [this](int domain, std::int64_t round) { return room_for(domain, round); }};
}

flow::Room NodeWindows::room_for(int domain, std::int64_t round) const noexcept {
  if (role_of(domain) == NodeWindow::away) return tally_.room(domain, round);
  if (!gets_mail(call_, domain) && tally_.ranks(domain, round) == 0) return {};
  return {call_.plan.window_slots, 1};
}

transport::SlotLayout NodeWindows::layout() const noexcept {
  using Hears = transport::SlotLayout::Hears;
  const policy::Plan& plan = call_.plan;
  transport::SlotLayout layout{order_.groups(), plan.domains.window_bytes, plan.window_slots, plan.masks,
                               plan.mask_shift};
  const bool reads_ahead = plan.several_nodes && plan.direction == policy::Direction::read;
  const Hears least = plan.several_nodes ? Hears::turns : Hears::group;
  layout.any_hears = plan.few_servers || reads_ahead ? Hears::slots : least;
  layout.hears = reads_ahead || serves(call_) ? layout.any_hears : least;
  return layout;
}

NodeWindow::Role NodeWindows::role_of(int domain) const noexcept {
  const File& f = call_.file;
  const int home = home_of(call_, domain);
  if (home == f.place().seat.node) return NodeWindow::home;
  const policy::Layers& layers = f.layers;
  const bool meets = layers.nodes_per_group > 1 &&
                     layers.group_of(home) != layers.group_of(f.place().seat.node) &&
                     layers.relay(f.place().seat.node, domain) == f.place().seat.node;
  return meets ? NodeWindow::relay : NodeWindow::away;
}

void NodeWindows::add(NodeBatch& batch, const flow::Batch::Window& window) const {
  NodeWindow w;
  w.domain = window.domain;
  w.round = window.round;
  w.role = role_of(w.domain);
  const bool away = w.role == NodeWindow::away;
  w.mine = tally_.mine(w.domain, w.round);
  w.receives = !away && receives_mail(call_, w.domain);
  if (!w.mine && !w.receives) return;
  w.extent = domains_.window(w.domain, w.round);
  w.step = next_.step;
  w.batch = next_.number;
  w.slot = window.slot + (away ? tally_.room_before(w.domain, w.round).slots : 0);
  const int ranks = away ? tally_.ranks_of_team(w.domain, w.round) : tally_.ranks(w.domain, w.round);
  w.anyone = ranks > 0;
  w.entry.offset = w.extent.offset;
  w.entry.batch_size = next_.parts;
  if (away) {
    const int slots = tally_.slots_of_team(w.domain, w.round);
    w.packed = w.entry.packed = slots < call_.plan.window_slots;
    w.room_bytes = slots * policy::slot_bytes(call_.plan);
  }
  w.entry.parties = ranks + (!away && gets_mail(call_, w.domain) ? 1 : 0);
  batch.windows.push_back(w);
}

// A rank comes to a group of slots in every turn of it, also where none of the windows concerns it.
void NodeWindows::advance(NodeLane& lane) {
  NodeBatch& batch = lane.batch;
  batch.windows.clear();
  while (batch.windows.empty()) {
    lane.left = order_.next(lane.course, next_);
    if (!lane.left) return;
    for (const flow::Batch::Window& window : next_.windows) add(batch, window);
    if (batch.windows.empty()) call_.buffers.slots().turns.enter(next_.group);
  }
  batch.group = next_.group;
  batch.step = next_.step;
  batch.number = next_.number;
  call_.ranks.roll.come_to_round(next_.windows.front().round);
  const std::size_t first = batch.windows.size() *
                            static_cast<std::size_t>(call_.file.place().seat.local_rank) /
                            static_cast<std::size_t>(call_.buffers.slots().memory.ranks());
  std::ranges::rotate(batch.windows, batch.windows.begin() + static_cast<std::ptrdiff_t>(first));
}

std::int64_t NodeWindows::next_round(const NodeWindow& window) const noexcept {
  return window.role == NodeWindow::away ? tally_.next_of_team(window.domain, window.round)
                                         : tally_.next_of_node(window.domain, window.round);
}

bool serves(const CollectiveCall& call) noexcept {
  return !call.plan.few_servers ||
         (call.link.my_domain >= 0 && call.link.my_domain < call.plan.domains.count);
}

bool serves_last(const CollectiveCall& call) noexcept {
  return call.plan.several_nodes && !call.file.machine.storage.overlaps;
}

int mail_receiver(const CollectiveCall& call, int domain) noexcept {
  const File& f = call.file;
  return home_of(call, domain) == f.place().seat.node ? call.link.receiver_of(domain)
                                                      : f.place().leader(f.place().seat.node);
}

bool receives_mail(const CollectiveCall& call, int domain) noexcept {
  return mail_receiver(call, domain) == call.file.rank && gets_mail(call, domain);
}

int next_node(const CollectiveCall& call, int domain) noexcept {
  return call.file.layers.next_hop(call.file.place().seat.node, domain, home_of(call, domain));
}

int next_rank(const CollectiveCall& call, int domain) noexcept {
  const File& f = call.file;
  const int hop = next_node(call, domain);
  return hop == home_of(call, domain) ? call.link.receiver_of(domain) : f.place().leader(hop);
}

}  // namespace collio::engine
