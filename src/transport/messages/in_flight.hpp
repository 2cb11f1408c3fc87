// Nonblocking messages under way, each with what it is for: a buffer to give back, a window to fill.
//
// Where more than most_looked_at messages are under way, a look is at the oldest ones, which are mostly over
// first, and at others in turn; further on while any is over, and at the more of them the longer ago the last
// look was. So looks at thousands of messages cost a rank at work no more than looks at few, and one that has
// napped sees at once which of two thousand is over. An error
// of MPI ends the job, as everywhere on collio's communicators: a rank that lost a message cannot know which
// ranks wait for it. Places of messages that are over are used again, so nothing is allocated once the most
// that are ever under way have been.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <list>
#include <optional>
#include <ranges>
#include <utility>

#include "observe/steps.hpp"
#include "transport/waiting/communicators.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::transport {

/// Bytes that a message which was received had.
[[nodiscard]] inline int received_bytes(const MPI_Status& status) {
  int bytes = 0;
  must(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  return bytes;
}

/// `Item`: what a message is for; has a default value and can be moved.
template <class Item>
class InFlight {
  struct Message {
    Item item{};
    MPI_Request request = MPI_REQUEST_NULL;
  };

 public:
  static constexpr int most_looked_at = 64;
  /// Time for which half as many may be looked at in vain: to look takes about a tenth of it.
  static constexpr double seconds_a_look = 10e-6;

  InFlight() = default;
  InFlight(InFlight&& other) noexcept
      : messages_(std::move(other.messages_)),
        spare_(std::move(other.spare_)),
        size_(std::exchange(other.size_, 0)) {
    other.next_.reset();
  }
  InFlight& operator=(InFlight&&) = delete;
  ~InFlight() { drain(); }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// What is under way, oldest first.
  [[nodiscard]] auto items() const noexcept { return messages_ | std::views::transform(&Message::item); }

  /// Begins a message: start(item, request) calls MPI and returns its code. The item stays where it is until
  /// the message is over: it may have the message's bytes.
  template <class Start>
  void post(Item&& item, Start&& start) {
    assert(over_.empty());
    if (spare_.empty()) spare_.emplace_back();  // before anything is booked: where memory fails, nothing was
    Message& message = spare_.front();
    message.item = std::move(item);
    messages_.splice(messages_.end(), spare_, spare_.begin());
    ++size_;
    must(start(message.item, &message.request), "the start of a message");
  }

  /// Looks at messages: each(item, status) for those that are over, which must not post here. True when any
  /// was.
  template <class Each>
  bool retire(Each&& each) {
    Place oldest = messages_.begin();
    if (size_ <= at(most_looked_at)) return look(oldest, most_looked_at, each);
    bool any = false;
    for (; look(oldest, most_looked_at / 2, each); oldest = messages_.begin()) any = true;
    if (!next_ && oldest != messages_.end()) next_ = oldest;
    double looks = looks_due();
    for (std::size_t left = size_; left > 0; left -= std::min(left, at(most_looked_at / 2))) {
      Place place = next_.value_or(messages_.begin());
      const bool over = look(place, most_looked_at / 2, each);
      next_.reset();
      if (place != messages_.end()) next_ = place;
      if (!over && --looks < 1) break;
      any = any || over;
    }
    return any;
  }

  /// Waits politely until all are over.
  void drain() {
    for (Message& message : messages_) wait_for(message.request);
    spare_.splice(spare_.end(), messages_);
    size_ = 0;
    next_ = {};
  }

 private:
  using Place = typename std::list<Message>::iterator;

  /// Looks in vain that the time since the last one allows.
  double looks_due() noexcept {
    const double now = observe::now_s();
    return (now - std::exchange(looked_s_, now)) / seconds_a_look;
  }

  /// At `most` messages from `place` on, which is after them then. True when any was over.
  template <class Each>
  bool look(Place& place, int most, Each& each) {
    std::array<MPI_Request, most_looked_at> requests;
    std::array<MPI_Status, most_looked_at> statuses;
    std::array<int, most_looked_at> indices;
    std::array<Place, most_looked_at> places;
    int count = 0, over = 0;
    for (; place != messages_.end() && count < most; ++place, ++count) {
      requests[at(count)] = place->request;
      places[at(count)] = place;
    }
    if (count == 0) return false;
    must(MPI_Testsome(count, requests.data(), &over, indices.data(), statuses.data()), "MPI_Testsome");
    for (int i = 0; i < over; ++i) take_over(places[at(indices[at(i)])]);
    if (over > 0) hand_over(statuses.data(), each);  // else none, or MPI_UNDEFINED
    return over > 0;
  }

  void take_over(Place place) {
    if (next_ == place && ++*next_ == messages_.end()) next_.reset();
    place->request = MPI_REQUEST_NULL;
    over_.splice(over_.end(), messages_, place);
    --size_;
  }

  /// `status`: of the first message in over_, and of the others after it.
  template <class Each>
  void hand_over(const MPI_Status* status, Each& each) {
    for (Message& message : over_) each(message.item, *status++);
    spare_.splice(spare_.end(), over_);
  }

  [[nodiscard]] static std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

  std::list<Message> messages_, over_, spare_;
  std::size_t size_ = 0;
  double looked_s_ = observe::now_s();
  /// to be looked at in turn; nothing: the oldest
  std::optional<Place> next_;
};

}  // namespace collio::transport
