// See work_queue.hpp.
#include "engine/work_queue.hpp"

#include <algorithm>
#include <vector>

#include "engine/own_thread.hpp"
#include "exchange/waiting.hpp"

namespace collio::engine {

namespace {

constexpr long longest_nap_ns = 80'000;  // between the steps of fibers: each may have become ready meanwhile

/// Queues with work on fibers. Only ever used by the one thread that is in MPI.
std::vector<WorkQueue*>& active() {
  static auto* queues = new std::vector<WorkQueue*>;
  return *queues;
}

}  // namespace

WorkQueue::WorkQueue(bool by_thread, void (*at_start)()) {
  if (by_thread) thread_ = start_thread([this, at_start] { run_thread(at_start); });
}

WorkQueue::~WorkQueue() {
  drain();
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WorkQueue::post(Work work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    ++unfinished_;
  }
  if (thread_.joinable()) {
    changed_.notify_all();
  } else if (std::ranges::find(active(), this) == active().end()) {
    active().push_back(this);
    exchange::set_turn(step_all_queues);
  }
}

void WorkQueue::drain() {
  if (thread_.joinable()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return unfinished_ == 0; });
    return;
  }
  run_until([this] { return unfinished_ == 0; });
}

void WorkQueue::run_until(const std::function<bool()>& done) {
  while (!done()) {
    if (!alone()) return step_until(done);
    run_fiber(false);
  }
}

void WorkQueue::run_thread(void (*at_start)()) {
  at_start();
  exchange::set_beside_program();
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
bool WorkQueue::alone() const noexcept { return active().size() == 1 && active().front() == this; }

/// To the next point where the first call gives way, or to its end.
void WorkQueue::run_fiber(bool gives_way) {
  if (!fiber_) {
    fiber_ = std::make_unique<exchange::Fiber>(std::move(queue_.front()));
    queue_.pop_front();
  }
  fiber_->resume(gives_way);
  if (!fiber_->ended()) return;
  fiber_.reset();
  if (--unfinished_ == 0) std::erase(active(), this);
}

bool WorkQueue::step() {
  const std::size_t before = unfinished_;
  run_fiber(true);
  return unfinished_ < before;
}

bool step_all_queues() {
  if (exchange::Fiber::running()) return false;
  bool any_ended = false;
  const std::vector<WorkQueue*> queues = active();  // a queue leaves the list when its last call ends
  for (WorkQueue* queue : queues) any_ended = queue->step() || any_ended;
  return any_ended;
}

bool steps_needed() { return !active().empty(); }

void step_until(const std::function<bool()>& done) {
  for (exchange::PoliteWait wait(longest_nap_ns); !done(); wait.idle()) {  // idle() takes a step first
  }
}

}  // namespace collio::engine
