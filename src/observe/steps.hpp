// Where the time of a call goes. One clock; a step is timed by a scope, and the time of a scope inside
// another counts for the inner one only, so that the steps add up to the total.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "observe/trace.hpp"

namespace collio::observe {

enum class Step {
#define COLLIO_STEP(key, meaning) key,
#include "observe/report.def"
  count_
};
inline constexpr std::size_t step_count = static_cast<std::size_t>(Step::count_);

/// Seconds since some fixed point.
[[nodiscard]] inline double now_s() noexcept {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

struct CallLanes;
/// A step of a call was left (observe/pictures.hpp).
void note_step(CallLanes& lanes, Step step, double begin_s, double end_s) noexcept;

/// What a rank does, for other processes to see.
struct Shown {
  std::atomic<Step> step;
  /// when it last began a step, or looked around while it waited
  std::atomic<double> alive_s;
};
static_assert(std::atomic<double>::is_always_lock_free);

/// Seconds by step of one call on one rank.
class Steps {
 public:
  /// Every step is shown there from now on. Null: nowhere.
  void show(Shown* where) noexcept { shown_ = where; }
  /// Every step is noted there from now on. Null: nowhere.
  void note(CallLanes* lanes) noexcept { lanes_ = lanes; }
  void add(const Steps& other) noexcept {
    for (std::size_t i = 0; i < step_count; ++i) seconds_[i] += other.seconds_[i];
  }
  void add(Step step, double seconds) noexcept { seconds_[static_cast<std::size_t>(step)] += seconds; }
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
    if (current_ != Step::count_) {
      seconds_[static_cast<std::size_t>(current_)] += now - since_;
      if (traced.load(std::memory_order_relaxed)) trace_step(current_, since_, now);
      if (lanes_) note_step(*lanes_, current_, since_, now);
    }
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
  CallLanes* lanes_ = nullptr;
};

/// What one rank did in one call; sums over ranks make the report. report.def says what each member counts.
struct Counters {
#define COLLIO_COUNTER(member, key, Type, fold, meaning) std::int64_t member = 0;
#include "observe/report.def"

  void note_receives(std::int64_t received) noexcept { most(most_receives, received); }
  void add(const Counters& more) noexcept {
#define COLLIO_COUNTER(member, key, Type, fold, meaning) fold(member, more.member);
#include "observe/report.def"
  }

 private:
  static void sum(std::int64_t& into, std::int64_t more) noexcept { into += more; }
  static void most(std::int64_t& into, std::int64_t more) noexcept { into = std::max(into, more); }
};

}  // namespace collio::observe
