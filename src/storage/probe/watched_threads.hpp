// Work that the kernel may hold for ever, such as a write to a server that has died.
//
// Each piece of work has its thread, which tells when it gets on. The caller waits for the first
// that ends, or that has not got on for a given time: that one is given up, and its thread left alone. It
// ends if the target ever answers; so work owns all that it uses, and shares nothing with the caller but what
// both own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace collio::storage::probe {

/// Where a piece of work is. Set by its thread, read by the one that watches.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  /// It gets on, and does this now. `doing`: a literal.
  void mark(const char* doing) noexcept {
    doing_ = doing;
    since_ = Clock::now().time_since_epoch().count();
  }
  [[nodiscard]] const char* doing() const noexcept { return doing_; }
  [[nodiscard]] Clock::time_point since() const noexcept {
    return Clock::time_point(Clock::duration(since_.load()));
  }

 private:
  std::atomic<const char*> doing_{"starting"};
  std::atomic<Clock::rep> since_{Clock::now().time_since_epoch().count()};
};

/// Used by one thread.
class WatchedThreads {
 public:
  using Work = std::function<void(Progress&)>;
  explicit WatchedThreads(double patience_s) : patience_s_(patience_s) {}

  /// Starts `work` for `who`. It must not throw. The thread takes no signals. False: the system gives no
  /// thread.
  [[nodiscard]] bool start(int who, Work work);
  [[nodiscard]] std::size_t running() const noexcept { return running_.size(); }

  enum class Given {
    result,
    /// it was given up: it had not got on for the patience
    stuck,
    /// it was given up: it was `end`
    late,
  };
  struct Ended {
    int who = 0;
    Given why = Given::result;
    /// what it did when it was given up
    std::string doing;
  };
  /// Waits for one. Only while some are running. Returns at the latest when the first has not got on for the
  /// patience, or at `end`.
  [[nodiscard]] Ended next(Progress::Clock::time_point end);

 private:
  /// Owned by the threads, too.
  struct Shared {
    std::mutex mutex;
    std::condition_variable ended;
    /// of those that have ended
    std::deque<int> tickets;
  };
  struct Running {
    int ticket = 0, who = 0;
    std::shared_ptr<Progress> progress;
  };

  double patience_s_;
  int last_ticket_ = 0;
  std::vector<Running> running_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace collio::storage::probe
