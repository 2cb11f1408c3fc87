// See requests.hpp.
#include "pnetcdf/requests.hpp"

#include <algorithm>
#include <utility>

namespace collio::pnetcdf {

int AttachedBuffer::take(std::int64_t bytes) {
  if (bytes > bytes_ - used_) return -1;
  used_ += bytes;
  entries_.push_back({bytes, false});
  return static_cast<int>(entries_.size()) - 1;
}

void AttachedBuffer::give_back(int entry) {
  if (entry < 0) return;
  entries_[static_cast<std::size_t>(entry)].free = true;
  while (!entries_.empty() && entries_.back().free) {
    used_ -= entries_.back().bytes;
    entries_.pop_back();
  }
}

int RequestList::add(Request&& request) {
  last_ = requests_.empty() ? first_ : last_ + 2;
  request.id = last_;
  requests_.push_back(std::move(request));
  return last_;
}

bool RequestList::has(int id) const noexcept {
  if (!owns(id)) return false;
  const auto found = std::ranges::lower_bound(requests_, id, {}, &Request::id);
  return found != requests_.end() && found->id == id && !found->taken;
}

std::optional<Request> RequestList::take(int id) {
  if (!has(id)) return {};
  const auto found = std::ranges::lower_bound(requests_, id, {}, &Request::id);
  std::optional<Request> one(std::move(*found));
  found->taken = true;
  return one;
}

void RequestList::forget_taken() { std::erase_if(requests_, &Request::taken); }

std::vector<Request> RequestList::take_all() { return std::exchange(requests_, {}); }

}  // namespace collio::pnetcdf
