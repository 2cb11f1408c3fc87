// Things that do one thing after the other, each with the time at which it is free: links, receivers and
// storage targets. Uses are given in the order of their times, as far as it is known.
#pragma once

#include <vector>

#include "core/extent.hpp"
#include "machine/topology.hpp"
#include "simulate/model.hpp"
#include "simulate/object_locks.hpp"

namespace collio::simulate {

/// When one direction of a link is busy. A use takes the time that earlier uses left, in pieces if need be:
/// uses are asked for in the order in which messages leave, which is not the order in which they get here.
class BusyTimes {
 public:
  /// When a use of `busy_s` ends that begins at `from_s` or later. O(log periods), or O(periods) where it
  /// fills gaps.
  double take(double from_s, double busy_s);
  /// When it would end.
  [[nodiscard]] double end_of(double from_s, double busy_s) const;

 private:
  struct Period {
    double begin_s, end_s;
  };
  /// in order, with gaps between them; the oldest gaps are forgotten
  std::vector<Period> periods_;
};

/// Cores that all nodes share. A rank's work waits for one of them, and keeps it until it is done.
class ProcessorClocks {
 public:
  /// 0: every rank has its own time, as NodeCosts::cores has it.
  explicit ProcessorClocks(int processors) : times_(static_cast<std::size_t>(processors)) {}

  /// When work ends that could begin at `ready_s`: on the core where that is soonest.
  double work(double ready_s, double work_s);
  [[nodiscard]] bool shared() const noexcept { return !times_.empty(); }
  /// Seconds that a core was at work, on average.
  [[nodiscard]] double busy_s() const noexcept { return busy_s_ / static_cast<double>(times_.size()); }

 private:
  std::vector<BusyTimes> times_;
  double busy_s_ = 0;
};

/// The links of a network. A message goes through all links of its route at once, as packets do, and waits
/// where another one came first; switches hold what waits.
class LinkClocks {
 public:
  /// The topology outlives it.
  explicit LinkClocks(const machine::Topology& topology) : LinkClocks(topology, nullptr, 0) {}
  /// Messages take the time of shared cores, too, as the kernel of a lab needs it: one core carries bytes at
  /// this rate. The processors outlive it. 0: they take none.
  LinkClocks(const machine::Topology& topology, ProcessorClocks* processors, double carry_bytes_per_s);

  /// When the last byte arrives of a message that leaves at `ready_s`. O(hops).
  double send(const machine::Trip& trip, std::int64_t bytes, double ready_s);
  /// The link that was at work longest.
  [[nodiscard]] machine::BusiestLink busiest() const;

 private:
  const machine::Topology& topology_;
  ProcessorClocks* processors_;
  /// a byte
  double carry_s_;
  /// by Hop::index(), as the others
  std::vector<BusyTimes> times_;
  std::vector<double> busy_s_;
  std::vector<std::int64_t> bytes_;
};

/// A message that a receiver gets.
struct Arrival {
  double at_s = 0;
  /// to place what it brings
  double work_s = 0;
};

/// When a receiver that is free at `from_s` has received a burst of messages, all of which it expects from
/// the begin: for n messages o_r n + t_m n^2 / 2, besides their work and the wait for them. Sorts them.
double receive_burst(std::vector<Arrival>& arrivals, const NodeCosts& costs, double from_s);

/// The targets of one file's storage.
class TargetClocks {
 public:
  TargetClocks(const StorageCosts& costs, int nodes);

  /// When a call of a node ends that begins at `ready_s`. Locks of an object move one after the other, while
  /// its target serves what has its lock. O(stripes log locks).
  double access(int node, const core::Extent& extent, bool reads, double ready_s);
  /// Seconds the busiest target was at work, and which it is.
  [[nodiscard]] int busiest() const;
  [[nodiscard]] double busy_s(int target) const { return busy_s_[static_cast<std::size_t>(target)]; }
  [[nodiscard]] std::int64_t locks_moved() const noexcept { return locks_moved_; }

 private:
  /// When a node has the lock of some bytes of a stripe.
  double locked_s(int node, const core::Extent& bytes, double ready_s);

  StorageCosts costs_;
  /// by target: served, and of locks of the file's object there that move
  std::vector<BusyTimes> serves_, moves_;
  std::vector<double> busy_s_;
  std::vector<double> node_free_s_;
  std::vector<ObjectLocks> locks_;
  std::int64_t locks_moved_ = 0;
};

}  // namespace collio::simulate
