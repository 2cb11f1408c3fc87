// See last_lists.hpp.
#include "netcdf/last_lists.hpp"

#include <algorithm>
#include <atomic>

namespace collio::netcdf {

namespace {

/// pieces that all files keep
std::atomic<std::int64_t> kept{0};

std::int64_t size_of(const std::shared_ptr<const Pieces>& pieces) noexcept {
  return pieces ? static_cast<std::int64_t>(pieces->offsets.size()) : 0;
}

}  // namespace

void LastLists::forget(List& list) {
  kept -= size_of(list.pieces);
  list = {};
}

LastLists::~LastLists() { std::ranges::for_each(lists_, forget); }

std::shared_ptr<const Pieces> LastLists::find(int parts) const {
  const auto found = std::ranges::find(lists_, parts, &List::parts);
  return found == lists_.end() ? nullptr : found->pieces;
}

void LastLists::keep(int parts, const std::shared_ptr<const Pieces>& pieces) {
  auto place = std::ranges::find(lists_, parts, &List::parts);
  if (place == lists_.end()) place = lists_.begin() + static_cast<std::ptrdiff_t>(next_++ % lists_.size());
  forget(*place);
  const std::int64_t size = size_of(pieces);
  if (kept.fetch_add(size) + size > most_pieces)
    kept -= size;
  else
    *place = {parts, pieces};
}

}  // namespace collio::netcdf
