// See futex.hpp.
#include "transport/waiting/futex.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "observe/steps.hpp"

namespace collio::transport {

namespace {

constexpr int yields_on_futex = 8;
constexpr double yield_on_futex_s = 2e-3;  // each rank has a core: waking up would cost more than it saves
constexpr long first_sleep_ns = 100'000, first_sleep_for_ranks_ns = 1'600'000;
constexpr long longest_sleep_ns = 2'000'000;
constexpr int quiet_tag = 32767;  // the highest that every MPI library has; collio's messages have lower ones

}  // namespace

void SharedWord::set(std::uint32_t next) noexcept {
  value.store(next, std::memory_order_seq_cst);
  wake();
}

void SharedWord::bump() noexcept {
  value.fetch_add(1, std::memory_order_seq_cst);
  wake();
}

void SharedWord::wake() noexcept {
  if (sleepers.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, &value, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void WordWait::idle(SharedWord& word, std::uint32_t seen) noexcept {
  if (give_way()) return watch_.look();
  if (polls_++ == 0) begin_s_ = observe::now_s();
  // By the clock: where another job has the core, a yield may take milliseconds.
  const bool yields = !beside_program() && (crowded() ? polls_ <= yields_on_futex
                                                      : observe::now_s() - begin_s_ < yield_on_futex_s);
  if (yields) {
    sched_yield();
    if ((polls_ & 15) != 0) return;
  } else {
    watch_.look();
    const long first_ns = for_ == For::ranks ? first_sleep_for_ranks_ns : first_sleep_ns;
    const long ns = std::min(first_ns << std::min(sleeps_++, 5), longest_sleep_ns);
    const timespec limit{0, ns};
    word.sleepers.fetch_add(1, std::memory_order_seq_cst);
    syscall(SYS_futex, &word.value, FUTEX_WAIT, seen, &limit, nullptr, 0);
    word.sleepers.fetch_sub(1, std::memory_order_relaxed);
    if (word.load() != seen) return;
  }
  if (comm_ == MPI_COMM_NULL) return;
  // From one rank: a program may assert that it never looks for messages of any.
  int found = 0, rank = 0, size = 1;
  MPI_Comm_rank(comm_, &rank);
  MPI_Comm_size(comm_, &size);
  MPI_Iprobe((rank + 1) % size, quiet_tag, comm_, &found, MPI_STATUS_IGNORE);
}

}  // namespace collio::transport
