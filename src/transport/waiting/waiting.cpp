// See waiting.hpp.
#include "transport/waiting/waiting.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "observe/steps.hpp"
#include "transport/waiting/communicators.hpp"
#include "transport/waiting/fiber.hpp"

namespace collio::transport {

namespace {

constexpr std::int64_t polls = 4;
constexpr std::int64_t yields_crowded =
    8;  // over TCP a poll is dear: a rank with nothing to do must leave the cores soon
constexpr double yield_alone_s =
    200e-6;  // by the clock: where another job has the core, a yield may take milliseconds
constexpr double shortest_nap_s = 10e-6;
constexpr double nap_share =
    0.0625;  // of the time waited so far: what comes is seen at most a sixteenth of its wait late
constexpr double shortest_nap_in_reduction_s = 20e-6, nap_share_in_reduction = 0.0005;
constexpr unsigned long nap_slack_ns = 2'000;  // the kernel's default, 50 us, would dwarf short naps

/// With more, naps get longer: 64 ranks on 2 cores wrote in 5.9 s with naps of 0.64 ms at most, in 4.1 s with
/// 5 ms.
constexpr double few_ranks_per_core = 4;
constexpr double longest_nap_ns = 640'000;
/// With more, one yield goes round many ranks, and naps begin longer: the same write took 3.2 s with the
/// yields and naps of fewer ranks, 2.75 s with these.
constexpr double many_ranks_per_core = 8;

std::atomic<double> ranks_of_core{2};
thread_local bool is_beside_program = false;
thread_local Lookout* of_thread = nullptr;

/// A fiber may go on on another thread than it began on: its thread is looked up anew each time.
[[gnu::noinline]] Lookout*& of_this_thread() noexcept {
  asm volatile("" ::: "memory");
  return of_thread;
}

std::atomic<bool (*)()> turn_of_others{nullptr};

void nap(long ns) noexcept {
  const int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  prctl(PR_SET_TIMERSLACK, nap_slack_ns, 0, 0, 0);
  const timespec time{0, ns};
  nanosleep(&time, nullptr);
  if (slack > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack), 0, 0, 0);
}

}  // namespace

void set_ranks_per_core(double ranks) noexcept { ranks_of_core = ranks; }
bool crowded() noexcept { return ranks_of_core > 1; }

void set_beside_program() noexcept { is_beside_program = true; }
bool beside_program() noexcept { return is_beside_program; }

void set_turn(bool (*turn)()) noexcept { turn_of_others = turn; }

bool give_way() noexcept {
  if (Fiber::give_way()) return true;
  bool (*const turn)() = turn_of_others.load(std::memory_order_relaxed);
  if (turn && !Fiber::running()) turn();
  return false;
}

Lookout* lookout() noexcept { return of_this_thread(); }
Lookout* set_lookout(Lookout* next) noexcept { return std::exchange(of_this_thread(), next); }

void Watch::look() noexcept {
  Lookout* const who = lookout();
  if (!who) return;
  const double now = observe::now_s();
  if (since_s_ == 0) since_s_ = now;
  who->look(now, since_s_);
}

void Watch::forget() noexcept {
  since_s_ = 0;
  if (Lookout* const who = lookout()) who->moved();
}

PoliteWait::PoliteWait(For what) noexcept
    : longest_nap_ns_(static_cast<long>(longest_nap_ns * std::max(1.0, ranks_of_core / few_ranks_per_core))),
      reduces_(what == For::reduction && !is_beside_program && !crowded()) {}

double PoliteWait::nap_s() const noexcept {
  const double waited_s = observe::now_s() - begin_s_, ranks = ranks_of_core.load(std::memory_order_relaxed);
  const double longest_s = 1e-9 * static_cast<double>(longest_nap_ns_);
  if (reduces_) return std::clamp(nap_share_in_reduction * waited_s, shortest_nap_in_reduction_s, longest_s);
  const double shortest_s = shortest_nap_s * (ranks > many_ranks_per_core ? ranks / few_ranks_per_core : 1);
  return std::clamp(nap_share * waited_s, std::min(shortest_s, longest_s), longest_s);
}

void PoliteWait::idle() noexcept {
  if (give_way()) return watch_.look();
  if (idle_polls_++ == 0) begin_s_ = observe::now_s();
  if (idle_polls_ <= polls) return;
  const bool many = ranks_of_core.load(std::memory_order_relaxed) > many_ranks_per_core;
  const bool yields = !is_beside_program && (crowded() ? idle_polls_ <= polls + (many ? 1 : yields_crowded)
                                                       : observe::now_s() - begin_s_ < yield_alone_s);
  if (yields) {
    sched_yield();
    return;
  }
  watch_.look();
  nap(static_cast<long>(1e9 * nap_s()));
}

void wait_for(MPI_Request& request) {
  PoliteWait wait(PoliteWait::For::reduction);
  for (int done = 0;;) {
    must(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) return;
    wait.idle();
  }
}

}  // namespace collio::transport
