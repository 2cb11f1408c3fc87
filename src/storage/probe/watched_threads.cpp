// See watched_threads.hpp.
#include "storage/probe/watched_threads.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace collio::storage::probe {

namespace {
constexpr auto longest_step = std::chrono::milliseconds(100);
}

bool WatchedThreads::start(int who, Work work) {
  auto progress = std::make_shared<Progress>();
  const int ticket = ++last_ticket_;
  auto all_of_it = [shared = shared_, progress, ticket, work = std::move(work)]() mutable {
    work(*progress);
    work = nullptr;  // what it owns is gone before anybody hears that it has ended
    const std::lock_guard lock(shared->mutex);
    shared->tickets.push_back(ticket);
    shared->ended.notify_one();
  };
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // a thread inherits it: signals are for the program's own
  bool started = true;
  try {
    std::thread(std::move(all_of_it)).detach();
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) running_.push_back({ticket, who, std::move(progress)});
  return started;
}

WatchedThreads::Ended WatchedThreads::next(Progress::Clock::time_point end) {
  assert(!running_.empty());
  const auto patience =
      std::chrono::duration_cast<Progress::Clock::duration>(std::chrono::duration<double>(patience_s_));
  std::unique_lock lock(shared_->mutex);
  for (;;) {
    while (!shared_->tickets.empty()) {
      const int ticket = shared_->tickets.front();
      shared_->tickets.pop_front();
      const auto found = std::ranges::find(running_, ticket, &Running::ticket);
      if (found == running_.end()) continue;  // given up before
      const Ended ended{found->who, Given::result, {}};
      running_.erase(found);
      return ended;
    }
    const auto longest =
        std::ranges::min_element(running_, {}, [](const Running& one) { return one.progress->since(); });
    const auto stuck = longest->progress->since() + patience;
    const auto until = std::min(stuck, end);
    if (Progress::Clock::now() >= until) {
      Ended ended{longest->who, stuck <= end ? Given::stuck : Given::late, longest->progress->doing()};
      running_.erase(longest);
      return ended;
    }
    // By the system's clock, in short steps: it may be set meanwhile, and glibc waits by another since 2.30
    // only.
    const auto step = std::min<Progress::Clock::duration>(until - Progress::Clock::now(), longest_step);
    shared_->ended.wait_until(
        lock, std::chrono::system_clock::now() + std::chrono::ceil<std::chrono::microseconds>(step));
  }
}

}  // namespace collio::storage::probe
