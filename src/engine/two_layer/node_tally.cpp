// See node_tally.hpp.
#include "engine/two_layer/node_tally.hpp"

#include <algorithm>

#include "transport/node_memory/node_slots.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;

std::int64_t packed_room(const CollectiveCall& call, std::int64_t begin, std::int64_t end) noexcept {
  return flow::part_room({end - begin, call.access.pattern.most_pieces(begin, end)},
                         {call.plan.domains.window_bytes, call.plan.mask_shift});
}

NodeTally::NodeTally(CollectiveCall& call)
    : teams_(call.file.layers.teams[static_cast<std::size_t>(call.file.place().seat.node)]),
      ranks_(call.buffers.slots().memory.ranks()),
      team_(teams_.team_of(call.file.place().seat.local_rank)),
      window_slots_(call.plan.window_slots),
      slot_bytes_(policy::slot_bytes(call.plan)) {
  if (!call.plan.several_nodes) return;
  transport::NodeSlots& slots = call.buffers.slots();
  tally_.emplace(call.plan.domains, teams_.count, slots.counts.next());
  mine_.resize(static_cast<std::size_t>(tally_->places()));
  {
    Steps::Scope time(call.steps, Step::plan);
    count_in(call);
  }
  Steps::Scope time(call.steps, Step::wait);
  slots.counts.meet(call.link.comm);
  slots.counts.clear_old(call.file.place().seat.local_rank);
}

void NodeTally::count_in(CollectiveCall& call) {
  const policy::Domains& domains = call.plan.domains;
  if (call.access.bytes == 0) return;
  const core::Extent& span = call.access.span;
  core::Cursor cursor(call.access.pattern);
  for (cursor.seek_offset(span.offset); !cursor.at_end() && cursor.offset() < span.end();) {
    const int domain = domains.owner(cursor.offset());
    const std::int64_t round = domains.round_of(domain, cursor.offset());
    const std::int64_t place = tally_->place(domain, round), before = cursor.stream();
    add(place);
    if (call.link.home_of(domain) != call.file.place().seat.node) add(tally_->place(domain, 0));
    cursor.seek_offset(std::min(domains.window(domain, round).end(), span.end()));
    if (window_slots_ > 1) tally_->need(place, team_, packed_room(call, before, cursor.stream()));
  }
}

void NodeTally::add(std::int64_t place) {
  if (mine_[static_cast<std::size_t>(place)]) return;
  mine_[static_cast<std::size_t>(place)] = true;
  tally_->add(place, team_);
}

bool NodeTally::mine(int domain, std::int64_t round) const noexcept {
  return !tally_ || mine_[static_cast<std::size_t>(tally_->place(domain, round))];
}

int NodeTally::ranks(int domain, std::int64_t round) const noexcept {
  return tally_ ? tally_->ranks(domain, round) : ranks_;
}

int NodeTally::ranks_of_team(int domain, std::int64_t round) const noexcept {
  return tally_ ? tally_->ranks(domain, round, team_) : teams_.size(team_);
}

int NodeTally::slots_of(int domain, std::int64_t round, int team) const noexcept {
  return flow::slots_in_transit(tally_->needs(domain, round, team), slot_bytes_, window_slots_);
}

flow::Room NodeTally::room_below(int domain, std::int64_t round, int end) const noexcept {
  flow::Room room;
  for (int team = 0; team < end; ++team) {
    if (tally_->ranks(domain, round, team) == 0) continue;
    room.slots += slots_of(domain, round, team);
    ++room.parts;
  }
  return room;
}

int NodeTally::teams(int domain) const noexcept { return tally_ ? tally_->teams(domain, 0) : 0; }

std::int64_t NodeTally::next_of_team(int domain, std::int64_t round) const noexcept {
  return tally_ ? tally_->next_round(domain, round, team_, team_ + 1) : transport::no_round;
}

std::int64_t NodeTally::next_of_node(int domain, std::int64_t round) const noexcept {
  return tally_ ? tally_->next_round(domain, round, 0, teams_.count) : transport::no_round;
}

}  // namespace collio::engine
