// See node_counts.hpp.
#include "transport/node_memory/node_counts.hpp"

#include "core/index.hpp"

namespace collio::transport {

std::span<flow::Tally::Counter> NodeCounts::next() noexcept { return counters_->of[core::at(++calls_ % 2)]; }

void NodeCounts::meet(MPI_Comm comm) noexcept {
  WordWait wait(comm);
  const std::uint32_t seen = shared_.meetings.load();
  if (shared_.met.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks_) {
    shared_.met.store(0, std::memory_order_relaxed);
    return shared_.meetings.set(seen + 1);
  }
  while (shared_.meetings.load() == seen) wait.idle(shared_.meetings, seen);
}

void NodeCounts::clear_old(int node_rank) noexcept {
  auto& old = counters_->of[core::at((calls_ + 1) % 2)];
  const auto begin = [&](int rank) {
    return static_cast<std::size_t>(most_counters) * static_cast<std::size_t>(rank) /
           static_cast<std::size_t>(ranks_);
  };
  for (std::size_t i = begin(node_rank); i < begin(node_rank + 1); ++i)
    old[i].store(0, std::memory_order_relaxed);
}

}  // namespace collio::transport
