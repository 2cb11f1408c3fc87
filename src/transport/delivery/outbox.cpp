// See outbox.hpp.
#include "transport/delivery/outbox.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace collio::transport {

using observe::Step;
using observe::Steps;

Outbox::Outbox(MessageLink link, const access::FileAccess& access, const policy::Domains& domains,
               const access::MemoryAccess& memory, Payload payload)
    : link_(link), domains_(domains), memory_(memory), payload_(payload), transfers_(link, memory, payload) {
  if (access.bytes == 0) return;
  const int first = domains.dealt() ? 0 : domains.owner(access.span.offset);
  const int last = domains.dealt() ? domains.count - 1 : domains.owner(access.span.end() - 1);
  const int lanes = last - first + 1;
  lanes_.reserve(static_cast<std::size_t>(lanes));
  for (int i = 0; i < lanes; ++i) {
    const int domain = first + (i + link.rank) % lanes;  // ranks begin at different aggregators
    if (domain == link.my_domain) continue;
    DomainSource source(access, domains, domain);
    if (source.next_round() != no_round) lanes_.emplace_back(std::move(source));
  }
  open_lanes_ = lanes_.size();
  for (Lane& lane : lanes_) enroll(lane);
  if (payload == Payload::request && !memory.direct())  // answers are taken from any aggregator
    for (std::size_t i = 0; i < lanes_.size(); ++i) lane_of_rank_[rank_of(lanes_[i])] = i;
}

void Outbox::count_lanes(std::vector<std::int32_t>& senders) const {
  for (const Lane& lane : lanes_) ++senders[static_cast<std::size_t>(lane.source.domain())];
}

void Outbox::enroll(Lane& lane) {
  const std::int64_t round = lane.next_round();
  if (round == no_round) return;
  Starts& starts = starts_[round];
  ++starts.lanes;
  lane.ready = lane.may_start(link_.requests_ahead);
  if (lane.ready) starts.ready.push_back(number_of(lane));
}

/// Something of the lane's is over.
void Outbox::came_further(Lane& lane) {
  if (lane.finished()) {
    --open_lanes_;
  } else if (!lane.ready && lane.may_start(link_.requests_ahead) && lane.next_round() != no_round) {
    lane.ready = true;
    starts_[lane.next_round()].ready.push_back(number_of(lane));
  }
}

bool Outbox::advance() {
  bool moved = transfers_.advance([this](std::size_t lane) { transfer_over(lane); });
  moved = begin_arrivals() || moved;
  moved = finish_arrivals() || moved;
  moved = retire_sends() || moved;
  moved = retire_answers() || moved;
  return start_ready() || moved;
}

/// Messages of the earliest round, until one finds no room.
bool Outbox::start_ready() {
  bool moved = false;
  while (!starts_.empty() && !starts_.begin()->second.ready.empty()) {
    const auto first = starts_.begin();
    Lane& lane = lanes_[first->second.ready.front()];
    if (!start(lane)) break;
    moved = true;
    first->second.ready.pop_front();
    if (--first->second.lanes == 0) starts_.erase(first);
    enroll(lane);
  }
  return moved;
}

bool Outbox::retire_sends() {
  if (sends_.empty()) return false;
  Steps::Scope time(*link_.steps, Step::exchange);
  return sends_.retire([this](Lane* lane, const MPI_Status&) {
    lane->sends = false;
    under_way_bytes_ -= lane->message_bytes;
    link_.pool->give_back(std::move(lane->message));
    came_further(*lane);
  });
}

bool Outbox::retire_answers() {
  if (answers_.empty()) return false;
  Steps::Scope time(*link_.steps, Step::exchange);
  return answers_.retire([this](const Answer& answer, const MPI_Status& status) {
    answered_bytes_ += received_bytes(status);
    --lanes_[answer.lane].answers;
    came_further(lanes_[answer.lane]);
  });
}

void Outbox::transfer_over(std::size_t lane) {
  --lanes_[lane].transfers;
  came_further(lanes_[lane]);
}

void Outbox::fenced() {
  transfers_.fenced([this](std::size_t lane) { transfer_over(lane); });
}

std::int64_t Outbox::first_round_open() const noexcept {
  std::int64_t first = std::min(front_round(), transfers_.first_not_granted());
  for (const Lane* lane : sends_.items()) first = std::min(first, lane->message_round);
  for (const Answer& answer : answers_.items()) first = std::min(first, answer.round);
  for (const auto& [rank, lane] : lane_of_rank_)
    if (!lanes_[lane].asked.empty()) first = std::min(first, lanes_[lane].asked.front().round);
  for (const Arrival& arrival : arrivals_.items()) first = std::min(first, arrival.round);
  if (matched_) first = std::min(first, matched_->arrival.round);
  return first;
}

/// Describes the lane's next message, in description_. False: there is no room for its data.
bool Outbox::describe(Lane& lane) {
  const bool greeting_only = !lane.greeted && !lane.described && lane.source.next_round() != 0;
  const auto no_room = [&](std::int64_t data_bytes) {
    return payload_ == Payload::data && !greeting_only && under_way_bytes_ > 0 &&
           data_bytes + under_way_bytes_ > link_.budget_bytes;
  };
  // Where data may go without the message, only the description tells.
  if (!link_.remote && no_room(lane.source.next_bytes())) return false;
  if (lane.described) {
    description_ = std::move(*lane.described);
    lane.described.reset();
  } else if (greeting_only) {
    description_.header = {};
    description_.header.next_round = lane.source.next_round();
  } else {
    Steps::Scope time(*link_.steps, Step::pack);
    if (!lane.source.describe(description_)) link_.leave_out();
  }
  description_.header.source = link_.rank;
  description_.header.source_node = link_.node;
  description_.header.domain = lane.source.domain();
  if (!link_.remote || goes_one_sided(link_, description_.header) ||
      !no_room(description_.header.data_bytes()))
    return true;
  lane.described = std::exchange(description_, {});
  return false;
}

bool Outbox::start(Lane& lane) {
  if (!describe(lane)) return false;
  MessageHeader& h = description_.header;
  if (!fill(lane)) {
    link_.leave_out();
    h.leave_out();
    if (!fill(lane)) throw std::bad_alloc();
  }
  const bool one_sided = goes_one_sided(link_, h);
  if (payload_ == Payload::request && !one_sided && h.items > 0) expect_answer(lane);
  {
    Steps::Scope time(*link_.steps, Step::exchange);
    const auto begin = one_sided ? MPI_Isend : MPI_Issend;  // the grant tells that it was received
    sends_.post(&lane, [&](const Lane*, MPI_Request* started) {
      return begin(lane.message.data(), static_cast<int>(lane.message_bytes), MPI_BYTE, rank_of(lane),
                   tag_of(link_, h.domain, h.round), link_.comm, started);
    });
  }
  lane.sends = true;
  link_.note_sent(link_.home_of(h.domain), lane.message_bytes);
  under_way_bytes_ += lane.message_bytes;
  lane.message_round = h.round;
  lane.greeted = true;
  ++link_.counters->messages;
  if (!one_sided) return true;
  ++lane.transfers;
  const std::int64_t origin = domains_.window(h.domain, h.round).offset;
  transfers_.ask(number_of(lane), std::exchange(description_, {}), origin);
  return true;
}

/// The lane's message, of the description. False: there is no memory.
bool Outbox::fill(Lane& lane) {
  Steps::Scope time(*link_.steps, Step::pack);
  const MessageHeader& h = description_.header;
  const std::int64_t data_bytes = payload_ == Payload::data && !goes_one_sided(link_, h) ? h.data_bytes() : 0;
  lane.message_bytes = static_cast<std::int64_t>(message_bytes(h.extents_bytes, data_bytes));
  try {
    lane.message = link_.pool->take(static_cast<std::size_t>(lane.message_bytes) + core::varint_slack);
  } catch (const std::bad_alloc&) {
    return false;
  }
  std::byte* out = lane.message.data();
  std::memcpy(out, &h, sizeof h);
  if (h.extents_bytes > 0)
    std::memcpy(out + sizeof h, description_.extents.data(), static_cast<std::size_t>(h.extents_bytes));
  memory_.gather(description_.stream_begin, data_bytes, out + sizeof h + h.extents_bytes);
  link_.counters->metadata_bytes += static_cast<std::int64_t>(sizeof h) + h.extents_bytes;
  link_.counters->pieces += h.pieces;
  return true;
}

void Outbox::expect_answer(Lane& lane) {
  const Answer expected{number_of(lane), description_.stream_begin, description_.header.round};
  if (!memory_.direct()) return lane.asked.push_back(expected);
  Steps::Scope time(*link_.steps, Step::exchange);
  ++lane.answers;
  answers_.post(Answer(expected), [&](const Answer& answer, MPI_Request* started) {
    return MPI_Irecv(memory_.at(answer.stream_begin), static_cast<int>(description_.header.data_bytes()),
                     MPI_BYTE, rank_of(lane), tag_answer, link_.comm, started);
  });
}

bool Outbox::begin_arrivals() {
  if (payload_ != Payload::request || memory_.direct()) return false;
  bool moved = false;
  Steps::Scope time(*link_.steps, Step::exchange);
  while (arrivals_.empty() || arriving_bytes_ < link_.budget_bytes) {
    if (!matched_ && !match_arrival()) break;
    if (!begin_matched()) break;
    moved = true;
  }
  return moved;
}

bool Outbox::match_arrival() {
  int found = 0;
  MPI_Message message;
  MPI_Status status;
  must(MPI_Improbe(MPI_ANY_SOURCE, tag_answer, link_.comm, &found, &message, &status), "MPI_Improbe");
  if (!found) return false;
  Arrival& arrival = matched_.emplace(Matched{message, {}}).arrival;
  arrival.lane = lane_of_rank_.at(status.MPI_SOURCE);
  Lane& lane = lanes_[arrival.lane];
  arrival.bytes = received_bytes(status);
  arrival.stream_begin = lane.asked.front().stream_begin;
  arrival.round = lane.asked.front().round;
  lane.asked.pop_front();
  ++lane.arriving;
  return true;
}

/// False: there is no staging now.
bool Outbox::begin_matched() {
  Arrival& arrival = matched_->arrival;
  Shortage::Incoming room = link_.shortage->receive(*link_.pool, static_cast<std::size_t>(arrival.bytes));
  if (!room.buffer) return false;
  arrival.staging = std::move(room.buffer);
  arrival.borrowed = room.borrowed;
  arriving_bytes_ += arrival.bytes;
  arrivals_.post(std::move(arrival), [this](const Arrival& a, MPI_Request* started) {
    return MPI_Imrecv(a.staging.data(), static_cast<int>(a.bytes), MPI_BYTE, &matched_->message, started);
  });
  matched_.reset();
  return true;
}

bool Outbox::finish_arrivals() {
  if (arrivals_.empty()) return false;
  Steps::Scope time(*link_.steps, Step::exchange);
  return arrivals_.retire([this](Arrival& arrival, const MPI_Status&) { finish(arrival); });
}

void Outbox::finish(Arrival& arrival) {
  Lane& lane = lanes_[arrival.lane];
  {
    Steps::Scope time(*link_.steps, Step::pack);
    memory_.scatter(arrival.stream_begin, arrival.bytes, arrival.staging.data());
  }
  answered_bytes_ += arrival.bytes;
  arriving_bytes_ -= arrival.bytes;
  if (arrival.borrowed)
    link_.shortage->give_back(std::move(arrival.staging));
  else
    link_.pool->give_back(std::move(arrival.staging));
  --lane.arriving;
  came_further(lane);
}

}  // namespace collio::transport
