// See waiting.hpp.
#include "exchange/waiting.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>

namespace collio::exchange {

namespace {

constexpr int polls = 4;
constexpr int yields = 24;
constexpr long first_nap_ns = 5'000;
constexpr long longest_nap_ns = 200'000;

}  // namespace

void PoliteWait::idle() noexcept {
  ++idle_polls_;
  if (idle_polls_ <= polls) return;
  if (idle_polls_ <= polls + yields) {
    sched_yield();
    return;
  }
  const int naps = std::min(idle_polls_ - polls - yields, 8);
  const timespec nap{0, std::min(first_nap_ns << (naps - 1), longest_nap_ns)};
  nanosleep(&nap, nullptr);
}

void wait_for(MPI_Request& request) {
  PoliteWait wait;
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    wait.idle();
  }
}

}  // namespace collio::exchange
