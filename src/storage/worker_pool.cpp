// See worker_pool.hpp.
#include "storage/worker_pool.hpp"

#include <csignal>
#include <system_error>
#include <utility>

namespace collio::storage {

std::shared_ptr<WorkerPool> WorkerPool::obtain(int threads, std::string& why) {
  static std::mutex mutex;
  static std::weak_ptr<WorkerPool> of_process;
  const std::lock_guard lock(mutex);
  std::shared_ptr<WorkerPool> pool = of_process.lock();
  if (!pool) pool = std::make_shared<WorkerPool>();
  if (!pool->grow(threads, why) && pool->threads() == 0) return nullptr;
  of_process = pool;
  return pool;
}

bool WorkerPool::grow(int threads, std::string& why) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // threads inherit it: signals are for the program's own
  bool grown = true;
  try {
    while (threads_.size() < static_cast<std::size_t>(threads)) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error& error) {
    why = std::string("no threads: ") + error.what();
    grown = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return grown;
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::add(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  work_.notify_one();
}

void WorkerPool::wait_until(const std::function<bool()>& over) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, over);
}

void WorkerPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
    ended_.notify_all();
  }
}

}  // namespace collio::storage
