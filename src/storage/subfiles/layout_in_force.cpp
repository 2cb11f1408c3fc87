// See layout_in_force.hpp.
#include "storage/subfiles/layout_in_force.hpp"

#include <algorithm>
#include <utility>

namespace collio::storage {

LayoutInForce::LayoutInForce(SubfileLayout layout)
    : layout_(std::make_shared<const SubfileLayout>(std::move(layout))),
      times_(layout_->count, layout_->unit_bytes) {}

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

std::int64_t LayoutInForce::written_end() const {
  const std::lock_guard lock(mutex_);
  return written_end_;
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

void LayoutInForce::Hold::replace(SubfileLayout layout) {
  auto made = std::make_shared<const SubfileLayout>(std::move(layout));
  const std::lock_guard lock(held_.mutex_);
  held_.layout_ = std::move(made);
}

}  // namespace collio::storage
