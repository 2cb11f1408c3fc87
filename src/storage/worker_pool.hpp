// A few threads of this process that make blocking calls for others. They know no MPI and take no signals.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace collio::storage {

class WorkerPool {
 public:
  /// The pool of this process, made at first use and ended with its last user. Grows to `threads` threads,
  /// never shrinks. Null when the system gives none: `why` says so. One that cannot grow stays as it is.
  [[nodiscard]] static std::shared_ptr<WorkerPool> obtain(int threads, std::string& why);
  WorkerPool() = default;
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Has `task` done by a thread, in the order in which tasks come.
  void add(std::function<void()> task);
  /// Waits until `over()`, which is asked under the pool's lock whenever a task has ended.
  void wait_until(const std::function<bool()>& over);
  [[nodiscard]] std::size_t threads() const noexcept { return threads_.size(); }

 private:
  /// False: the system gives no further thread.
  bool grow(int threads, std::string& why);
  void serve();

  std::mutex mutex_;
  std::condition_variable work_, ended_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool closing_ = false;
};

}  // namespace collio::storage
