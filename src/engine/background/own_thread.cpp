// See own_thread.hpp.
#include "engine/background/own_thread.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>

namespace collio::engine {

namespace {

constexpr std::uint64_t slice_ns = 100'000;  // the shortest there is

/// Beside a thread that computes, one that mostly sleeps should run as soon as it wakes, and briefly. Since
/// Linux 6.12 a thread may ask for short time slices, and then waits for its turn no longer; before, asking
/// changes nothing.
void ask_for_short_slices() {
#ifdef SYS_sched_setattr
  struct {
    std::uint32_t size = sizeof *this, policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = slice_ns, deadline_ns = 0, period_ns = 0;
  } attributes;
  const auto kept = syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0);
  attributes.runtime_ns = slice_ns;
  if (kept == 0 && attributes.policy == 0) syscall(SYS_sched_setattr, 0, &attributes, 0);
#endif
}

}  // namespace

std::thread start_thread(std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);  // a thread begins with the mask of the thread that starts it
  std::thread thread;
  try {
    thread = std::thread([body = std::move(body)] {
      ask_for_short_slices();
      body();
    });
  } catch (const std::system_error&) {}
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace collio::engine
