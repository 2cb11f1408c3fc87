// What a storage keeps of each transfer that was started and not yet finished, by ticket.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace collio::storage {

/// Names a transfer that was started, until finish() has told of it. Of one storage.
using Ticket = std::size_t;

/// Entries stay where they are until they are given back.
template <class T>
class Tickets {
 public:
  /// A ticket with an entry as T's constructor leaves it.
  Ticket take() {
    if (free_.empty()) {
      entries_.emplace_back().emplace();
      return entries_.size() - 1;
    }
    const Ticket ticket = free_.back();
    free_.pop_back();
    entries_[ticket].emplace();
    return ticket;
  }
  [[nodiscard]] T& operator[](Ticket ticket) noexcept { return *entries_[ticket]; }
  void give_back(Ticket ticket) {
    entries_[ticket].reset();
    free_.push_back(ticket);
  }

 private:
  std::deque<std::optional<T>> entries_;
  std::vector<Ticket> free_;
};

}  // namespace collio::storage
