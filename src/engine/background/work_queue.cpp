// See work_queue.hpp.
#include "engine/background/work_queue.hpp"

#include <algorithm>
#include <vector>

#include "engine/background/own_thread.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

namespace {

constexpr double longest_nap_s = 80e-6;  // between the steps of fibers: each may have become ready meanwhile

/// Queues with work on fibers. A thread takes `stepping`, then a queue's own mutex, then `listing`.
struct Fibers {
  /// of the thread that moves fibers on; no thread waits for it while a call of its own is under way
  std::mutex stepping;
  /// of `active`
  std::mutex listing;
  std::vector<WorkQueue*> active;
};
Fibers& fibers() {
  static auto* all = new Fibers;
  return *all;
}

std::vector<WorkQueue*> active() {
  const std::lock_guard lock(fibers().listing);
  return fibers().active;
}

}  // namespace

WorkQueue::WorkQueue(bool by_thread, void (*at_start)()) : many_threads_(by_thread) {
  if (by_thread) thread_ = start_thread([this, at_start] { run_thread(at_start); });
}

WorkQueue::~WorkQueue() {
  drain();
  if (!thread_.joinable()) {
    const std::lock_guard none_steps(fibers().stepping);  // another thread may be about to look at this queue
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WorkQueue::post(Work work) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(work));
  ++unfinished_;
  if (thread_.joinable()) return changed_.notify_all();
  const std::lock_guard list_lock(fibers().listing);
  if (std::ranges::find(fibers().active, this) != fibers().active.end()) return;
  fibers().active.push_back(this);
  transport::set_turn(step_all_queues);
}

std::size_t WorkQueue::unfinished() {
  const std::lock_guard lock(mutex_);
  return unfinished_;
}

void WorkQueue::drain() {
  if (thread_.joinable()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return unfinished_ == 0; });
    return;
  }
  run_until([this] { return unfinished() == 0; });
}

void WorkQueue::run_until(const std::function<bool()>& done) {
  while (!done()) {
    if (many_threads_ || !alone()) return step_until(done);
    run_fiber(false);
  }
}

void WorkQueue::run_thread(void (*at_start)()) {
  at_start();
  transport::set_beside_program();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Work work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    --unfinished_;
    changed_.notify_all();
  }
}

/// No other file's calls are under way: this one's may wait where they are instead of giving way.
bool WorkQueue::alone() const noexcept {
  const std::lock_guard lock(fibers().listing);
  return fibers().active.size() == 1 && fibers().active.front() == this;
}

void WorkQueue::begin_fiber() {
  const std::lock_guard lock(mutex_);
  fiber_ = std::make_unique<transport::Fiber>(std::move(queue_.front()));
  queue_.pop_front();
}

/// To the next point where the first call gives way, or to its end: then true.
bool WorkQueue::run_fiber(bool gives_way) {
  if (!fiber_) begin_fiber();
  fiber_->resume(gives_way);
  if (!fiber_->ended()) return false;
  fiber_.reset();
  const std::lock_guard lock(mutex_);
  if (--unfinished_ > 0) return true;
  const std::lock_guard list_lock(fibers().listing);
  std::erase(fibers().active, this);
  return true;
}

bool WorkQueue::step() { return run_fiber(true); }

bool step_all_queues() {
  if (transport::Fiber::running()) return false;
  const std::unique_lock alone(fibers().stepping, std::try_to_lock);
  if (!alone) return false;  // another thread moves them on
  bool any_ended = false;
  for (WorkQueue* queue : active())
    any_ended = queue->step() || any_ended;  // a copy: a queue leaves the list when its last call ends
  return any_ended;
}

bool steps_needed() {
  const std::lock_guard lock(fibers().listing);
  return !fibers().active.empty();
}

void step_until(const std::function<bool()>& done) {
  for (transport::PoliteWait wait(longest_nap_s); !done(); wait.idle()) {  // idle() takes a step first
  }
}

}  // namespace collio::engine
