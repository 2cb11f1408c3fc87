// Sleeping on a word in shared memory until another process changes it.
//
// A wait first gives its time slice away for a moment, then sleeps in the kernel. It wakes now and then all
// the same, to let the MPI library progress, as MPI's progress rule demands.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "transport/waiting/waiting.hpp"

namespace collio::transport {

/// A word that processes of a node wait on. Lies in shared memory; zero is its first value.
struct SharedWord {
  std::atomic<std::uint32_t> value{0};
  std::atomic<std::uint32_t> sleepers{0};

  void wake() noexcept;
  [[nodiscard]] std::uint32_t load() const noexcept { return value.load(std::memory_order_acquire); }
  /// Publishes everything written before, and wakes all waiters.
  void set(std::uint32_t next) noexcept;
  /// The same with the next number, by any number of processes at once.
  void bump() noexcept;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// One wait: idle() is called again and again until what it waits for has happened.
class WordWait {
 public:
  /// For ranks that come to a meeting, or for more: what MPI has to do may be a part of that. Ranks alone
  /// wake this one when they come; where many share a core, one that looks after messages keeps them from
  /// coming.
  enum class For { more, ranks };
  /// `comm`: where the MPI library is made to progress, by looking for a message that never comes: MPICH
  /// makes no progress in a probe that finds one, nor in one on a communicator of a single rank. Null: nobody
  /// needs that.
  explicit WordWait(MPI_Comm comm, For what = For::more) noexcept : comm_(comm), for_(what) {}
  /// Returns after a while, or when `word` is no longer `seen`.
  void idle(SharedWord& word, std::uint32_t seen) noexcept;
  void progressed() noexcept {
    polls_ = sleeps_ = 0;
    watch_.moved();
  }

 private:
  Watch watch_;
  MPI_Comm comm_;
  For for_;
  int polls_ = 0, sleeps_ = 0;
  double begin_s_ = 0;
};

}  // namespace collio::transport
