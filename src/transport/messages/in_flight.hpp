// Nonblocking messages under way, each with what it is for: a buffer to give back, a window to fill.
//
// One MPI_Testsome looks at all messages. An error of MPI ends the job, as everywhere on collio's
// communicators: a rank that lost a message cannot know which ranks wait for it. Places of messages that are
// over are used again, so nothing is allocated once the most that are ever under way have been.
#pragma once

#include <mpi.h>

#include <cassert>
#include <cstddef>
#include <list>
#include <utility>
#include <vector>

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
 public:
  InFlight() = default;
  InFlight(InFlight&&) = default;
  InFlight& operator=(InFlight&&) = delete;
  ~InFlight() { drain(); }

  [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return requests_.size(); }
  /// What is under way, oldest first.
  [[nodiscard]] const std::list<Item>& items() const noexcept { return items_; }

  /// Begins a message: start(item, request) calls MPI and returns its code. The item stays where it is until
  /// the message is over: it may have the message's bytes.
  template <class Start>
  void post(Item&& item, Start&& start) {
    assert(over_.empty());
    if (spare_.empty()) spare_.emplace_back();
    make_room(places_);  // before anything is booked: where memory fails, nothing was
    make_room(requests_);
    indices_.resize(requests_.size() + 1);
    statuses_.resize(requests_.size() + 1);
    const auto place = spare_.begin();
    *place = std::move(item);
    places_.push_back(place);
    requests_.push_back(MPI_REQUEST_NULL);
    items_.splice(items_.end(), spare_, place);
    must(start(*place, &requests_.back()), "the start of a message");
  }

  /// Looks at all, in one call: each(item, status) for those that are over, which must not post here. True
  /// when any was.
  template <class Each>
  bool retire(Each&& each) {
    if (empty()) return false;
    int count = 0;
    must(MPI_Testsome(static_cast<int>(size()), requests_.data(), &count, indices_.data(), statuses_.data()),
         "MPI_Testsome");
    return hand_over(count, each);
  }

  /// Looks at the oldest alone, then at the next when that one is over: for messages that end in order.
  template <class Each>
  bool retire_oldest(Each&& each) {
    bool any = false;
    for (int done = 1; done && !empty();) {
      must(MPI_Test(&requests_.front(), &done, &statuses_.front()), "MPI_Test");
      indices_.front() = 0;
      any = hand_over(done, each) || any;
    }
    return any;
  }

  /// Waits politely until all are over.
  void drain() {
    for (MPI_Request& request : requests_) wait_for(request);
    requests_.clear();
    places_.clear();
    spare_.splice(spare_.end(), items_);
  }

 private:
  using Place = typename std::list<Item>::iterator;

  /// For one more.
  template <class Entry>
  static void make_room(std::vector<Entry>& list) {
    if (list.size() == list.capacity()) list.reserve(list.empty() ? 8 : 2 * list.size());
  }

  template <class Each>
  bool hand_over(int count, Each& each) {
    if (count <= 0) return false;
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
      over_.splice(over_.end(), items_, places_[index]);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      places_[kept++] = places_[i];
    }
    requests_.resize(kept);
    places_.resize(kept);
    auto status = statuses_.cbegin();
    for (Item& item : over_) each(item, *status++);
    spare_.splice(spare_.end(), over_);
    return true;
  }

  std::list<Item> items_, over_, spare_;
  std::vector<MPI_Request> requests_;
  std::vector<Place> places_;  ///< of the requests' items
  std::vector<int> indices_;   ///< MPI_Testsome fills these
  std::vector<MPI_Status> statuses_;
};

}  // namespace collio::transport
