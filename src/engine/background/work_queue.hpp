// The calls of one open file that the program does not wait for, done one after the other in the order they
// were posted.
//
// Where any thread may call MPI, one thread per file makes them. One thread for all files could deadlock:
// ranks may post calls on two files in different orders, and each call needs all its ranks. Elsewhere they
// run on a fiber in the program's thread, a step whenever the program is in a call that lets them (see
// transport/waiting/fiber.hpp). Where any thread may call MPI but no thread can be created for the file, the
// program's threads run the fibers, one thread at a time.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "transport/waiting/fiber.hpp"

namespace collio::engine {

class WorkQueue {
 public:
  using Work = std::function<void()>;

  /// `by_thread`: any thread may call MPI. `at_start` is called by the new thread, first. No thread to be
  /// had: fibers.
  explicit WorkQueue(bool by_thread, void (*at_start)());
  /// Does what is left, ends the thread.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  [[nodiscard]] bool by_thread() const noexcept { return thread_.joinable(); }
  /// Not collective; returns at once. What may not be done until the program calls again.
  void post(Work work);
  /// Nothing that was posted is under way.
  [[nodiscard]] bool idle() { return unfinished() == 0; }
  /// Returns when all that was posted is done. Other ranks must come to their parts of it.
  void drain();
  /// Fibers: returns when done(), which work of this queue makes true. Other files' calls move on too.
  void run_until(const std::function<bool()>& done);
  /// Fibers: a step of the first call in the queue; true when it ended. Not on a fiber.
  bool step();

 private:
  void run_thread(void (*at_start)());
  bool run_fiber(bool gives_way);
  void begin_fiber();
  [[nodiscard]] std::size_t unfinished();
  [[nodiscard]] bool alone() const noexcept;

  /// any thread may call MPI
  bool many_threads_;
  /// of queue_, unfinished_, ending_
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  std::size_t unfinished_ = 0;
  bool ending_ = false;
  /// of the thread that moves fibers on
  std::unique_ptr<transport::Fiber> fiber_;
  std::thread thread_;
};

/// A step of every file's calls that run on fibers; true when one ended. Nothing on a fiber. Not collective.
bool step_all_queues();

/// Calls are under way on fibers: they need the program's thread to take steps.
[[nodiscard]] bool steps_needed();

/// Moves the calls of the process on until done(), waiting politely between steps. Not on a fiber.
void step_until(const std::function<bool()>& done);

}  // namespace collio::engine
