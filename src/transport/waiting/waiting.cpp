// See waiting.hpp.
#include "transport/waiting/waiting.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <atomic>
#include <utility>

#include "observe/steps.hpp"
#include "transport/waiting/communicators.hpp"
#include "transport/waiting/fiber.hpp"

namespace collio::transport {

namespace {

constexpr unsigned long nap_slack_ns = 2'000;  // the kernel's default, 50 us, would dwarf short naps

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
    : so_far_{.polls = 0,
              .ranks_per_core = ranks_of_core,
              .beside_program = is_beside_program,
              .reduces = what == For::reduction} {}

PoliteWait::PoliteWait(double longest_nap_s) noexcept : PoliteWait(For::messages) {
  so_far_.longest_nap_s = longest_nap_s;
}

void PoliteWait::idle() noexcept {
  if (give_way()) return watch_.look();
  if (so_far_.polls++ == 0) begin_s_ = observe::now_s();
  so_far_.waited_s = observe::now_s() - begin_s_;
  const flow::WaitStep step = flow::next_step(so_far_);
  switch (step.what) {
    case flow::WaitStep::poll:
      return;
    case flow::WaitStep::yield:
      sched_yield();
      return;
    case flow::WaitStep::nap:
      watch_.look();
      return nap(static_cast<long>(1e9 * step.nap_s));
  }
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
