// See node_windows.hpp.
#include "engine/node_windows.hpp"

#include <algorithm>

namespace collio::engine {

NodeWindows::NodeWindows(const Call& call)
    : domains_(call.plan.domains), span_(call.plan.span), slots_(call.plan.slots),
      end_(domains_.rounds(0) * domains_.count),
      first_(slots_ * call.file.node_rank / call.file.slots->ranks()) {}

std::vector<NodeWindow> NodeWindows::next_batch() {
  std::vector<NodeWindow> batch;
  while (batch.empty() && begin_ < end_) {
    const std::int64_t size = std::min(slots_, end_ - begin_);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t number = begin_ + (i + first_) % size;
      const auto domain = static_cast<int>(number % domains_.count);
      core::Extent window = domains_.window(domain, number / domains_.count);
      const std::int64_t begin = std::max(window.offset, span_.offset);
      window.length = std::min(window.end(), span_.end()) - begin;
      window.offset = begin;
      if (window.length > 0) batch.push_back({window, static_cast<int>(number % slots_)});
    }
    begin_ += size;
  }
  return batch;
}

bool serves(const Call& call) noexcept {
  return !call.plan.few_servers || (call.file.my_domain >= 0 && call.file.my_domain < call.plan.domains.count);
}

}  // namespace collio::engine
