// See inbox.hpp.
#include "exchange/inbox.hpp"

namespace collio::exchange {

using observe::Step;
using observe::Steps;

Inbox::Inbox(Link link, int domain, int senders, EarlyMessages& early)
    : link_(link), early_(early), domain_(domain) {
  if (senders > 0) expected_[0] = senders;
}

void Inbox::announce_own(std::int64_t round) {
  if (round != no_round) expected_.try_emplace(round, 0);
}

void Inbox::next_round() {
  if (!expected_.empty()) expected_.erase(expected_.begin());
  matched_ = 0;
}

bool Inbox::match() {
  if (missing() == 0) return false;
  Steps::Scope time(*link_.steps, Step::exchange);
  int found = 0;
  MPI_Message message;
  MPI_Status status;
  MPI_Improbe(MPI_ANY_SOURCE, tag_of(link_, domain_, round()), link_.comm, &found, &message, &status);
  if (!found) return false;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  Receive receive;
  receive.bytes = bytes;
  receive.buffer = link_.pool->take(static_cast<std::size_t>(bytes) + core::varint_slack);
  MPI_Imrecv(receive.buffer.data(), bytes, MPI_BYTE, &message, &receive.request);
  under_way_bytes_ += bytes;
  under_way_.push_back(std::move(receive));
  ++matched_;
  return true;
}

void Inbox::take_over(Received&& message, const std::function<void(Received&&)>& accept) {
  const MessageHeader& h = message.view.header;
  if (h.round != round() || h.domain != domain_) {  // of another round or domain with the same tag: keep it
    --matched_;
    early_.push_back(std::move(message));
    return;
  }
  if (h.next_round != no_round) ++expected_[h.next_round];
  accept(std::move(message));
}

bool Inbox::accept_early(const std::function<void(Received&&)>& accept) {
  for (std::size_t i = 0; i < early_.size(); ++i) {
    const MessageHeader& h = early_[i].view.header;
    if (h.round != round() || h.domain != domain_) continue;
    Received message = std::move(early_[i]);
    early_.erase(early_.begin() + static_cast<std::ptrdiff_t>(i));
    ++matched_;
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
    const MessageView view = view_message(receive.buffer.data());
    take_over({std::move(receive.buffer), view}, accept);
    moved = true;
  }
  return moved;
}

}  // namespace collio::exchange
