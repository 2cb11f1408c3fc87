// See node_windows.hpp.
#include "engine/node_windows.hpp"

#include <algorithm>

namespace collio::engine {

NodeWindows::NodeWindows(const Call& call)
    : domains_(call.plan.domains), span_(call.plan.span), per_batch_(call.plan.slots_per_half),
      end_(domains_.rounds(0) * domains_.count), first_(per_batch_ * call.file.node_rank / call.file.slots->ranks()) {}

bool NodeWindows::next(NodeBatch& batch) {
  batch.windows.clear();
  while (batch.windows.empty() && begin_ < end_) {
    const std::int64_t size = std::min(per_batch_, end_ - begin_);
    batch.half = static_cast<int>(batches_ % 2);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t place = (i + first_) % size;
      const std::int64_t number = begin_ + place;
      core::Extent window = domains_.window(static_cast<int>(number % domains_.count), number / domains_.count);
      const std::int64_t begin = std::max(window.offset, span_.offset);
      window.length = std::min(window.end(), span_.end()) - begin;
      window.offset = begin;
      if (window.length > 0) batch.windows.push_back({window, static_cast<int>(batch.half * per_batch_ + place)});
    }
    begin_ += size;
  }
  ++batches_;
  return !batch.windows.empty();
}

bool serves(const Call& call) noexcept {
  return !call.plan.few_servers || (call.file.my_domain >= 0 && call.file.my_domain < call.plan.domains.count);
}

exchange::SlotLayout layout_of(const policy::Plan& plan) noexcept {
  return {plan.slots_per_half, plan.domains.window_bytes, plan.masks, plan.mask_shift, plan.few_servers};
}

}  // namespace collio::engine
