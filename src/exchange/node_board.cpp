// See node_board.hpp.
//
// Why slots can be reused without a second barrier: a rank writes its slot for the next reduction only after the
// result of this one was complete, and the result is overwritten only when all ranks have arrived again, each of
// them after it copied the last result.
#include "exchange/node_board.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <new>

#include "exchange/waiting.hpp"

namespace collio::exchange {

namespace {

constexpr std::size_t line = 64;
constexpr int yields_crowded = 4;
constexpr int yields_alone = 1000;  // each rank has a core: waking up would cost more than it saves
constexpr long first_sleep_ns = 100'000;
constexpr long longest_sleep_ns = 2'000'000;

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, long ns) noexcept {
  const timespec limit{0, ns};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

struct NodeBoard::Head {
  alignas(line) std::atomic<std::uint32_t> arrived{0};
  alignas(line) std::atomic<std::uint32_t> turn{0};
};

NodeBoard::NodeBoard(MPI_Comm comm, std::size_t record_bytes)
    : comm_(comm), record_bytes_((record_bytes + line - 1) / line * line) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  const std::size_t bytes = sizeof(Head) + record_bytes_ * static_cast<std::size_t>(size_ + 1);
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &before);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  void* base = nullptr;
  int good = MPI_Win_allocate_shared(rank_ == 0 ? static_cast<MPI_Aint>(bytes) : 0, 1, MPI_INFO_NULL, comm, &base,
                                     &window_) == MPI_SUCCESS;
  MPI_Comm_set_errhandler(comm, before);
  MPI_Errhandler_free(&before);
  if (good) {
    MPI_Aint length = 0;
    int unit = 1;
    MPI_Win_shared_query(window_, 0, &length, &unit, &base);
    head_ = static_cast<Head*>(base);
    if (rank_ == 0) new (head_) Head;
  }
  // Also the barrier behind which the board is in order.
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
  usable_ = good != 0;
}

NodeBoard::~NodeBoard() {
  if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
}

std::byte* NodeBoard::slot(int index) const noexcept {
  return reinterpret_cast<std::byte*>(head_ + 1) + record_bytes_ * static_cast<std::size_t>(index);
}

void NodeBoard::wait_for_turn(std::uint32_t turn) {
  const int yields = crowded() ? yields_crowded : yields_alone;
  long ns = first_sleep_ns;
  for (int polls = 0; head_->turn.load(std::memory_order_acquire) == turn; ++polls) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE);
    if (polls < yields) {
      sched_yield();
      continue;
    }
    sleep_while(head_->turn, turn, ns);
    ns = std::min(2 * ns, longest_sleep_ns);
  }
}

void NodeBoard::reduce(std::byte* record, std::size_t bytes, Combine combine) {
  std::byte* result = slot(size_);
  const std::uint32_t turn = head_->turn.load(std::memory_order_acquire);
  std::memcpy(slot(rank_), record, bytes);
  if (head_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(size_)) {
    std::memcpy(result, slot(0), bytes);
    for (int i = 1; i < size_; ++i) combine(slot(i), result, bytes);
    head_->arrived.store(0, std::memory_order_relaxed);
    head_->turn.fetch_add(1, std::memory_order_release);
    wake_all(head_->turn);
  } else {
    wait_for_turn(turn);
  }
  std::memcpy(record, result, bytes);
}

}  // namespace collio::exchange
