// See layout_in_force.hpp.
#include "storage/subfiles/layout_in_force.hpp"

#include <algorithm>
#include <utility>

namespace collio::storage {

constexpr std::int64_t long_enough = 256 << 10;  ///< for a write to tell of a server's rate

LayoutInForce::LayoutInForce(SubfileLayout layout)
    : layout_(std::make_shared<const SubfileLayout>(std::move(layout))),
      times_(2 * static_cast<std::size_t>(layout_->count), 0) {}

LayoutInForce::Layout LayoutInForce::now() const {
  const std::lock_guard lock(mutex_);
  return layout_;
}

LayoutInForce::Layout LayoutInForce::settled() const {
  std::unique_lock lock(mutex_);
  let_go_.wait(lock, [this] { return !held_; });
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
  if (seconds <= 0) return;
  const auto place = static_cast<std::size_t>(subfile);
  const std::lock_guard lock(mutex_);
  if (bytes < std::min(layout_->unit_bytes, long_enough)) return;
  times_[place] += bytes;
  times_[times_.size() / 2 + place] += static_cast<std::int64_t>(1e9 * seconds);
}

std::vector<std::int64_t> LayoutInForce::take_times() {
  std::vector<std::int64_t> none(times_.size(), 0);
  const std::lock_guard lock(mutex_);
  return std::exchange(times_, std::move(none));
}

}  // namespace collio::storage
