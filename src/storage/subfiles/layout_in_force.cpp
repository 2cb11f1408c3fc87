// See layout_in_force.hpp.
#include "storage/subfiles/layout_in_force.hpp"

#include <algorithm>
#include <utility>

namespace collio::storage {

namespace {

constexpr std::int64_t least_timed_bytes = 64 << 10;

}  // namespace

LayoutInForce::LayoutInForce(SubfileLayout layout)
    : layout_(std::make_shared<const SubfileLayout>(std::move(layout))),
      rates_(static_cast<std::size_t>(layout_->count), 0) {}

LayoutInForce::Layout LayoutInForce::now() const {
  const std::lock_guard lock(mutex_);
  return layout_;
}

LayoutInForce::Layout LayoutInForce::for_write(const core::Extent& extent) {
  std::unique_lock lock(mutex_);
  let_go_.wait(lock, [this] { return !held_; });
  written_end_ = std::max(written_end_, extent.end());
  return layout_;
}

LayoutInForce::Hold::Hold(LayoutInForce& held) : held_(held) {
  const std::lock_guard lock(held_.mutex_);
  held_.held_ = true;
}

LayoutInForce::Hold::~Hold() {
  {
    const std::lock_guard lock(held_.mutex_);
    held_.held_ = false;
  }
  held_.let_go_.notify_all();
}

std::int64_t LayoutInForce::Hold::written_end() const {
  const std::lock_guard lock(held_.mutex_);
  return held_.written_end_;
}

void LayoutInForce::Hold::replace(SubfileLayout layout) {
  auto made = std::make_shared<const SubfileLayout>(std::move(layout));
  const std::lock_guard lock(held_.mutex_);
  held_.layout_ = std::move(made);
}

void LayoutInForce::note(std::int64_t subfile, std::int64_t bytes, double seconds) {
  if (bytes < least_timed_bytes) return;
  const auto rate = static_cast<std::int64_t>(static_cast<double>(bytes) / std::max(seconds, 1e-9));
  const std::lock_guard lock(mutex_);
  std::int64_t& fastest = rates_[static_cast<std::size_t>(subfile)];
  fastest = std::max({fastest, rate, std::int64_t{1}});
}

std::vector<std::int64_t> LayoutInForce::take_rates() {
  std::vector<std::int64_t> none(rates_.size(), 0);
  const std::lock_guard lock(mutex_);
  return std::exchange(rates_, std::move(none));
}

}  // namespace collio::storage
