// See layout.hpp.
#include "storage/subfiles/layout.hpp"

namespace collio::storage {

Deals::Deals(std::initializer_list<Deal> deals) {
  for (const Deal& deal : deals) push_back(deal);
}

Deals::Deals(const collio_subfile_layout& layout) {
  const std::int64_t* deal = layout.deals;
  for (std::int64_t i = 0; i < layout.deal_count; ++i) {
    push_back({deal[0], {deal + 2, deal + 2 + deal[1]}});
    deal += 2 + deal[1];
  }
}

Deal Deals::back() const {
  const auto begin = numbers_.begin() + static_cast<std::ptrdiff_t>(begins_.back());
  return {*begin, {begin + 2, numbers_.end()}};
}

void Deals::push_back(const Deal& deal) {
  begins_.push_back(numbers_.size());
  numbers_.insert(numbers_.end(), {deal.first, static_cast<std::int64_t>(deal.members.size())});
  numbers_.insert(numbers_.end(), deal.members.begin(), deal.members.end());
}

void Deals::pop_back() {
  numbers_.resize(begins_.back());
  begins_.pop_back();
}

}  // namespace collio::storage
