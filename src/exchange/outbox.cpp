// See outbox.hpp.
#include "exchange/outbox.hpp"

#include <cstring>

namespace collio::exchange {

using observe::Step;
using observe::Steps;

Outbox::Outbox(Link link, const access::FileAccess& access, const policy::Domains& domains) : link_(link) {
  if (access.bytes == 0) return;
  const int first = domains.owner(access.span.offset);
  const int last = domains.owner(access.span.end() - 1);
  const int lanes = last - first + 1;
  lanes_.reserve(static_cast<std::size_t>(lanes));
  for (int i = 0; i < lanes; ++i) {
    const int domain = first + (i + link.rank) % lanes;  // ranks begin at different aggregators
    if (domain == link.my_domain) continue;
    DomainSource source(access, domains, domain);
    if (source.next_round() != no_round) lanes_.emplace_back(std::move(source));
  }
  open_lanes_ = lanes_.size();
}

void Outbox::count_lanes(std::vector<std::int32_t>& senders) const {
  for (const Lane& lane : lanes_) ++senders[static_cast<std::size_t>(lane.source.domain())];
}

bool Outbox::advance(const access::MemoryAccess& memory, Payload payload) {
  bool moved = false;
  for (Lane& lane : lanes_) {
    if (lane.finished()) continue;
    if (!lane.idle()) moved = retire(lane, memory) || moved;
    if (lane.idle() && !lane.finished()) moved = start(lane, memory, payload) || moved;
    if (lane.finished()) --open_lanes_;
  }
  return moved;
}

bool Outbox::retire(Lane& lane, const access::MemoryAccess& memory) {
  bool moved = false;
  int done = 0;
  if (lane.send != MPI_REQUEST_NULL) {
    Steps::Scope time(*link_.steps, Step::exchange);
    MPI_Test(&lane.send, &done, MPI_STATUS_IGNORE);
    if (done) {
      under_way_bytes_ -= lane.message_bytes;
      link_.pool->give_back(std::move(lane.message));
      moved = true;
    }
  }
  if (lane.reply != MPI_REQUEST_NULL) {
    MPI_Status status;
    {
      Steps::Scope time(*link_.steps, Step::exchange);
      MPI_Test(&lane.reply, &done, &status);
    }
    if (done) {
      finish_reply(lane, memory, status);
      moved = true;
    }
  }
  return moved;
}

bool Outbox::start(Lane& lane, const access::MemoryAccess& memory, Payload payload) {
  const bool greeting_only = !lane.greeted && lane.source.next_round() != 0;
  if (!greeting_only && under_way_bytes_ > 0 && lane.source.next_bytes() + under_way_bytes_ > link_.budget_bytes)
    return false;
  const int target = (*link_.aggregators)[static_cast<std::size_t>(lane.source.domain())];
  if (greeting_only) {
    description_.header = {};
    description_.header.next_round = lane.source.next_round();
  } else {
    Steps::Scope time(*link_.steps, Step::pack);
    lane.source.describe(description_);
  }
  description_.header.source = link_.rank;
  fill(lane, memory, payload);
  if (payload == Payload::request && !greeting_only) expect_reply(lane, memory);
  {
    Steps::Scope time(*link_.steps, Step::exchange);
    MPI_Issend(lane.message.data(), static_cast<int>(lane.message_bytes), MPI_BYTE, target,
               tag_of_round(description_.header.round), link_.comm, &lane.send);
  }
  under_way_bytes_ += lane.message_bytes;
  lane.greeted = true;
  ++link_.counters->messages;
  return true;
}

void Outbox::fill(Lane& lane, const access::MemoryAccess& memory, Payload payload) {
  Steps::Scope time(*link_.steps, Step::pack);
  const MessageHeader& h = description_.header;
  const std::int64_t data_bytes = payload == Payload::data ? h.data_bytes() : 0;
  lane.message_bytes = static_cast<std::int64_t>(message_bytes(h.extents_bytes, data_bytes));
  lane.message = link_.pool->take(static_cast<std::size_t>(lane.message_bytes) + core::varint_slack);
  std::byte* out = lane.message.data();
  std::memcpy(out, &h, sizeof h);
  std::memcpy(out + sizeof h, description_.extents.data(), static_cast<std::size_t>(h.extents_bytes));
  memory.gather(description_.stream_begin, data_bytes, out + sizeof h + h.extents_bytes);
  link_.counters->metadata_bytes += static_cast<std::int64_t>(sizeof h) + h.extents_bytes;
  link_.counters->pieces += h.pieces;
}

void Outbox::expect_reply(Lane& lane, const access::MemoryAccess& memory) {
  const MessageHeader& h = description_.header;
  lane.stream_begin = description_.stream_begin;
  lane.reply_bytes = h.data_bytes();
  std::byte* to = nullptr;
  if (memory.contiguous()) {
    to = memory.at(lane.stream_begin);
  } else {
    lane.staging = link_.pool->take(static_cast<std::size_t>(lane.reply_bytes));
    to = lane.staging.data();
    under_way_bytes_ += lane.reply_bytes;
  }
  Steps::Scope time(*link_.steps, Step::exchange);
  const int from = (*link_.aggregators)[static_cast<std::size_t>(lane.source.domain())];
  MPI_Irecv(to, static_cast<int>(lane.reply_bytes), MPI_BYTE, from, tag_reply, link_.comm,
            &lane.reply);
}

void Outbox::finish_reply(Lane& lane, const access::MemoryAccess& memory, const MPI_Status& status) {
  int received = 0;
  MPI_Get_count(&status, MPI_BYTE, &received);
  replied_bytes_ += received;
  if (!lane.staging) return;
  Steps::Scope time(*link_.steps, Step::pack);
  memory.scatter(lane.stream_begin, received, lane.staging.data());
  under_way_bytes_ -= lane.reply_bytes;
  link_.pool->give_back(std::move(lane.staging));
}

}  // namespace collio::exchange
