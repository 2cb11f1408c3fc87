// Numbers that the ranks of a node count together before and during a call among several nodes.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "flow/in_transit.hpp"
#include "flow/tally.hpp"
#include "transport/node_memory/slot_layout.hpp"
#include "transport/waiting/futex.hpp"

namespace collio::transport {

class NodeCounts {
 public:
  static constexpr int most_counters = 1 << 15;
  /// Bytes of this node's messages on their way, by batch of transit slots.
  using BytesOut = std::array<std::atomic<std::int64_t>, flow::InTransit::batches>;
  /// In the shared memory. All zero at first.
  struct Shared {
    alignas(SlotLayout::line_bytes) BytesOut bytes_out;
    alignas(SlotLayout::line_bytes) SharedWord meetings;
    /// ranks that have come to the next one
    std::atomic<std::int32_t> met;
  };
  /// Of calls in turn. All zero at first.
  struct Counters {
    std::array<std::array<flow::Tally::Counter, most_counters>, 2> of;
  };
  /// `counters`: not looked at on a single node.
  NodeCounts(Shared& shared, Counters* counters, int ranks) noexcept
      : shared_(shared), counters_(counters), ranks_(ranks) {}

  /// Counters for the next call: all zero. After all ranks have met, those of the call before are nobody's.
  [[nodiscard]] std::span<flow::Tally::Counter> next() noexcept;
  /// Returns when all ranks have come. `comm`: see WordWait. Collective on the node.
  void meet(MPI_Comm comm) noexcept;
  /// Makes this rank's part of the counters of the call before zero. After meet(), before the call's end.
  void clear_old(int node_rank) noexcept;
  [[nodiscard]] BytesOut& bytes_out() noexcept { return shared_.bytes_out; }

 private:
  Shared& shared_;
  Counters* counters_;
  int ranks_;
  /// that had counters; the same on all ranks
  int calls_ = 0;
};

}  // namespace collio::transport
