// Where the time of a call goes. One clock; a step is timed by a scope, and the time of a scope inside
// another counts for the inner one only, so that the steps add up to the total.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace collio::observe {

enum class Step { flatten, digest, plan, pack, exchange, place, read, write, wait, agree, count_ };
inline constexpr std::size_t step_count = static_cast<std::size_t>(Step::count_);
inline constexpr std::array<std::string_view, step_count> step_names{
    "flatten", "digest", "plan", "pack", "exchange", "place", "read", "write", "wait", "agree"};

/// Seconds since some fixed point.
[[nodiscard]] inline double now_s() noexcept {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// What a rank does, for other processes to see.
struct Shown {
  std::atomic<Step> step;
  std::atomic<double> alive_s;  ///< when it last began a step, or looked around while it waited
};
static_assert(std::atomic<double>::is_always_lock_free);

/// Seconds by step of one call on one rank.
class Steps {
 public:
  /// Every step is shown there from now on. Null: nowhere.
  void show(Shown* where) noexcept { shown_ = where; }
  void add(const Steps& other) noexcept {
    for (std::size_t i = 0; i < step_count; ++i) seconds_[i] += other.seconds_[i];
  }
  [[nodiscard]] double seconds(Step step) const noexcept { return seconds_[static_cast<std::size_t>(step)]; }

  /// Times a step from construction to destruction, interrupting the step around it.
  class Scope {
   public:
    Scope(Steps& steps, Step step) noexcept : steps_(steps), outer_(steps.current_) { steps_.turn_to(step); }
    ~Scope() { steps_.turn_to(outer_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Steps& steps_;
    Step outer_;
  };

 private:
  void turn_to(Step next) noexcept {
    const double now = now_s();
    if (current_ != Step::count_) seconds_[static_cast<std::size_t>(current_)] += now - since_;
    current_ = next;
    since_ = now;
    if (!shown_) return;
    shown_->step.store(next, std::memory_order_relaxed);
    shown_->alive_s.store(now, std::memory_order_relaxed);
  }

  std::array<double, step_count> seconds_{};
  Step current_ = Step::count_;
  double since_ = 0;
  Shown* shown_ = nullptr;
};

/// What one rank did in one call. Sums over ranks make the report.
struct Counters {
  std::int64_t bytes = 0;            ///< data bytes of this rank
  std::int64_t pieces = 0;           ///< contiguous file pieces described
  std::int64_t messages = 0;         ///< messages sent to other ranks
  std::int64_t metadata_bytes = 0;   ///< bytes of piece descriptions
  std::int64_t one_sided = 0;        ///< transfers by MPI_Put or MPI_Get
  std::int64_t one_sided_bytes = 0;  ///< data they moved
  std::int64_t most_receives = 0;    ///< messages an aggregator received in one round; of several ranks, the most
  std::int64_t most_buffer_bytes = 0; ///< of buffers at a time, shared windows included; of several ranks, the most
  std::int64_t from_device_bytes = 0, to_device_bytes = 0;  ///< of this rank's buffer, where that is a device's
  std::int64_t dense_windows = 0, piecewise_windows = 0, sieved_windows = 0;

  void note_receives(std::int64_t received) noexcept { most_receives = std::max(most_receives, received); }
  void add(const Counters& o) noexcept {
    bytes += o.bytes;
    pieces += o.pieces;
    messages += o.messages;
    metadata_bytes += o.metadata_bytes;
    one_sided += o.one_sided;
    one_sided_bytes += o.one_sided_bytes;
    note_receives(o.most_receives);
    most_buffer_bytes = std::max(most_buffer_bytes, o.most_buffer_bytes);
    from_device_bytes += o.from_device_bytes;
    to_device_bytes += o.to_device_bytes;
    dense_windows += o.dense_windows;
    piecewise_windows += o.piecewise_windows;
    sieved_windows += o.sieved_windows;
  }
};

}  // namespace collio::observe
