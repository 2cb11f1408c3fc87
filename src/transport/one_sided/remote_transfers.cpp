// See remote_transfers.hpp.
#include "transport/one_sided/remote_transfers.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace collio::transport {

using observe::Step;
using observe::Steps;

void RemoteTransfers::ask(std::size_t lane, Description&& description, std::int64_t origin) {
  Transfer& t = transfers_.emplace_back();
  t.lane = lane;
  t.what = std::move(description);
  t.origin = origin;
  Steps::Scope time(*link_.steps, Step::exchange);
  const MessageHeader& h = t.what.header;  // rounds may be granted in another order
  asked_.post(&t, [&](const Transfer*, MPI_Request* started) {
    return MPI_Irecv(&t.grant, sizeof t.grant, MPI_BYTE, link_.rank_of(h.domain),
                     answer_tag_of(link_, h.domain, h.round), link_.comm, started);
  });
}

std::int64_t RemoteTransfers::first_round_in(State state) const noexcept {
  std::int64_t first = behind_all_rounds;
  for (const Transfer& t : transfers_)
    if (t.state == state) first = std::min(first, t.what.header.round);
  return first;
}

bool RemoteTransfers::take_grants() {
  if (asked_.empty()) return false;
  Steps::Scope time(*link_.steps, Step::exchange);
  return asked_.retire([](Transfer* t, const MPI_Status&) { t->state = State::granted; });
}

/// False: there is no memory.
bool RemoteTransfers::stage(Transfer& t) {
  Steps::Scope time(*link_.steps, Step::pack);
  try {
    t.staging = link_.pool->take(static_cast<std::size_t>(t.grant.bytes));
  } catch (const std::bad_alloc&) {
    return false;
  }
  staged_bytes_ += t.grant.bytes;
  if (payload_ == Payload::data) memory_.gather(t.what.stream_begin, t.grant.bytes, t.staging.data());
  return true;
}

/// False: not now.
bool RemoteTransfers::take_room(Transfer& t) {
  const std::int64_t bytes = t.grant.bytes;
  if (!memory_.direct()) {
    if (staged_bytes_ > 0 && staged_bytes_ + bytes > link_.budget_bytes) return false;
    if (!stage(t)) {
      if (staged_bytes_ > 0) return false;
      link_.leave_out();
      t.grant.bytes = 0;
    }
  }
  t.state = State::ready;
  return true;
}

void RemoteTransfers::begin(Transfer& t) {
  Steps::Scope time(*link_.steps, Step::exchange);
  const MessageHeader& h = t.what.header;
  const RemoteBuffers::Target target{link_.rank_of(h.domain),
                                     t.grant.displacement,
                                     t.origin,
                                     {h, t.what.extents.data(), nullptr},
                                     t.grant.bytes};
  std::byte* here = t.staging ? t.staging.data() : memory_.at(t.what.stream_begin);
  t.state = State::moving;
  link_.counters->one_sided_bytes += t.grant.bytes;
  if (payload_ == Payload::request) {  // the aggregator books the bytes that leave it
    link_.counters->one_sided += link_.remote->get(here, target);
    return;
  }
  link_.counters->one_sided += link_.remote->put(here, target);
  link_.note_sent(link_.home_of(h.domain), t.grant.bytes);
}

void RemoteTransfers::send_note(const Transfer& t) {
  Steps::Scope time(*link_.steps, Step::exchange);
  const MessageHeader& h = t.what.header;
  notes_.post({h.round}, [&](const DoneNote& note, MPI_Request* started) {
    return MPI_Isend(&note, sizeof note, MPI_BYTE, link_.rank_of(h.domain), tag_done, link_.comm, started);
  });
  link_.note_sent(link_.home_of(h.domain), sizeof(DoneNote));
  ++link_.counters->messages;
  link_.counters->metadata_bytes += sizeof(DoneNote);
}

bool RemoteTransfers::retire_notes() {
  if (notes_.empty()) return false;
  Steps::Scope time(*link_.steps, Step::exchange);
  return notes_.retire([](const DoneNote&, const MPI_Status&) {});
}

RemoteTransfers::Place RemoteTransfers::finish(Place t, const Over& over) {
  const std::size_t lane = t->lane;
  if (payload_ == Payload::request) bytes_got_ += t->grant.bytes;
  if (t->staging) {
    Steps::Scope time(*link_.steps, Step::pack);
    if (payload_ == Payload::request)
      memory_.scatter(t->what.stream_begin, t->grant.bytes, t->staging.data());
    staged_bytes_ -= t->grant.bytes;
    link_.pool->give_back(std::move(t->staging));
  }
  const Place next = transfers_.erase(t);
  over(lane);
  return next;
}

bool RemoteTransfers::advance(const Over& over) {
  const bool fences = link_.remote && link_.remote->by_fences();
  bool anything = retire_notes();
  anything = take_grants() || anything;
  for (Transfer& t : transfers_) {  // transfers with all aggregators begin before the first is waited for
    if (t.state != State::granted || !take_room(t)) continue;
    anything = true;
    if (!fences || payload_ == Payload::data) begin(t);
  }
  for (auto t = transfers_.begin(); !fences && t != transfers_.end();) {
    if (t->state != State::moving) {
      ++t;
      continue;
    }
    {
      Steps::Scope time(*link_.steps, Step::exchange);
      link_.remote->flush(link_.rank_of(t->what.header.domain));
    }
    send_note(*t);
    t = finish(t, over);
  }
  return anything;
}

void RemoteTransfers::get_all() {
  for (Transfer& t : transfers_)
    if (t.state == State::ready) begin(t);
}

void RemoteTransfers::fenced(const Over& over) {
  for (auto t = transfers_.begin(); t != transfers_.end();)
    t = t->state == State::moving ? finish(t, over) : std::next(t);
}

}  // namespace collio::transport
