// See inbox.hpp.
#include "transport/delivery/inbox.hpp"

#include <new>

namespace collio::transport {

using observe::Step;
using observe::Steps;

Inbox::Inbox(MessageLink link, int domain, int senders, EarlyMessages& early)
    : link_(link), early_(early), domain_(domain) {
  if (senders > 0) rounds_[0].expected = senders;
}

bool Received::keep(BufferPool& pool) {
  if (buffer) return true;
  try {
    buffer = pool.take(bytes + core::varint_slack);
  } catch (const std::bad_alloc&) {
    return false;
  }
  std::memcpy(buffer.data(), view.extents - sizeof(MessageHeader), bytes);
  view = view_message(buffer.data());
  return true;
}

void Inbox::announce_own(std::int64_t round) {
  if (round != no_round) rounds_.try_emplace(round);
}

std::int64_t Inbox::next_closed() const noexcept {
  for (const auto& [number, round] : rounds_)
    if (!round.open) return number;
  return no_round;
}

std::int64_t Inbox::first_incomplete() const noexcept {
  for (const auto& [number, round] : rounds_)
    if (!round.open || round.accepted < round.expected) return number;
  return no_round;
}

Inbox::Round* Inbox::round_of(const MessageHeader& header) noexcept {
  if (header.domain != domain_) return nullptr;
  const auto found = rounds_.find(header.round);
  return found != rounds_.end() && found->second.open ? &found->second : nullptr;
}

bool Inbox::match() {
  for (auto& [number, round] : rounds_)
    if (round.open && round.matched < round.expected && match(number, round)) return true;
  return false;
}

bool Inbox::match(std::int64_t number, Round& round) {
  Steps::Scope time(*link_.steps, Step::exchange);
  int found = 0;
  MPI_Message message;
  MPI_Status status;
  must(MPI_Improbe(MPI_ANY_SOURCE, tag_of(link_, domain_, number), link_.comm, &found, &message, &status),
       "MPI_Improbe");
  if (!found) return false;
  matched_ = {message, received_bytes(status), number};
  ++round.matched;
  return true;
}

/// False: there is no buffer now.
bool Inbox::begin_receive() {
  Steps::Scope time(*link_.steps, Step::exchange);
  Shortage::Incoming room =
      link_.shortage->receive(*link_.pool, static_cast<std::size_t>(matched_->bytes) + core::varint_slack);
  if (!room.buffer) return false;
  under_way_.post({std::move(room.buffer), matched_->bytes, matched_->round, room.borrowed},
                  [this](Receive& receive, MPI_Request* started) {
                    return MPI_Imrecv(receive.buffer.data(), matched_->bytes, MPI_BYTE, &matched_->message,
                                      started);
                  });
  under_way_bytes_ += matched_->bytes;
  matched_.reset();
  return true;
}

void Inbox::take_over(Received&& message, const std::function<void(Received&&)>& accept) {
  const MessageHeader h = message.view.header;
  Round* round = round_of(h);
  if (!round) {  // of another round or domain with the same tag: keep it
    if (!message.keep(*link_.pool)) throw std::bad_alloc();
    early_.push_back(std::move(message));
    return;
  }
  ++round->matched;
  ++round->accepted;
  if (h.next_round != no_round) ++rounds_[h.next_round].expected;
  accept(std::move(message));
}

bool Inbox::accept_early(const std::function<void(Received&&)>& accept) {
  for (std::size_t i = 0; i < early_.size(); ++i) {
    if (!round_of(early_[i].view.header)) continue;
    Received message = std::move(early_[i]);
    early_.erase(early_.begin() + static_cast<std::ptrdiff_t>(i));
    take_over(std::move(message), accept);
    return true;
  }
  return false;
}

void Inbox::conclude(Receive& receive, const std::function<void(Received&&)>& accept) {
  under_way_bytes_ -= receive.bytes;
  if (const auto round = rounds_.find(receive.round); round != rounds_.end())
    --round->second.matched;  // counted again where it belongs
  const MessageView view = view_message(receive.buffer.data());
  Received message{receive.borrowed ? Buffer() : std::move(receive.buffer), view,
                   static_cast<std::size_t>(receive.bytes)};
  take_over(std::move(message), accept);
  if (receive.borrowed) link_.shortage->give_back(std::move(receive.buffer));
}

bool Inbox::retire(const std::function<void(Received&&)>& accept) {
  if (under_way_.empty()) return false;
  Steps::Scope time(*link_.steps, Step::exchange);
  return under_way_.retire([&](Receive& receive, const MPI_Status&) { conclude(receive, accept); });
}

bool Inbox::advance(const std::function<void(Received&&)>& accept) {
  bool moved = accept_early(accept);
  while (under_way_.empty() || under_way_bytes_ < link_.budget_bytes) {
    if (!matched_ && !match()) break;
    if (!begin_receive()) break;
    moved = true;
  }
  return retire(accept) || moved;
}

}  // namespace collio::transport
