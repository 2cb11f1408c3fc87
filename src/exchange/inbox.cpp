// See inbox.hpp.
#include "exchange/inbox.hpp"

namespace collio::exchange {

using observe::Step;
using observe::Steps;

Inbox::Inbox(Link link, int domain, int senders, EarlyMessages& early)
    : link_(link), early_(early), domain_(domain) {
  if (senders > 0) rounds_[0].expected = senders;
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
  MPI_Improbe(MPI_ANY_SOURCE, tag_of(link_, domain_, number), link_.comm, &found, &message, &status);
  if (!found) return false;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  Receive receive;
  receive.bytes = bytes;
  receive.round = number;
  receive.buffer = link_.pool->take(static_cast<std::size_t>(bytes) + core::varint_slack);
  MPI_Imrecv(receive.buffer.data(), bytes, MPI_BYTE, &message, &receive.request);
  under_way_bytes_ += bytes;
  under_way_.push_back(std::move(receive));
  ++round.matched;
  return true;
}

void Inbox::take_over(Received&& message, const std::function<void(Received&&)>& accept) {
  const MessageHeader h = message.view.header;
  Round* round = round_of(h);
  if (!round) {  // of another round or domain with the same tag: keep it
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

bool Inbox::advance(const std::function<void(Received&&)>& accept) {
  bool moved = accept_early(accept);
  while (under_way_.empty() || under_way_bytes_ < link_.budget_bytes) {
    if (!match()) break;
    moved = true;
  }
  for (std::size_t i = 0; i < under_way_.size();) {
    int done = 0;
    {
      Steps::Scope time(*link_.steps, Step::exchange);
      MPI_Test(&under_way_[i].request, &done, MPI_STATUS_IGNORE);
    }
    if (!done) {
      ++i;
      continue;
    }
    Receive receive = std::move(under_way_[i]);
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(i));
    under_way_bytes_ -= receive.bytes;
    if (const auto round = rounds_.find(receive.round); round != rounds_.end()) --round->second.matched;  // counted again where it belongs
    const MessageView view = view_message(receive.buffer.data());
    take_over({std::move(receive.buffer), view}, accept);
    moved = true;
  }
  return moved;
}

}  // namespace collio::exchange
