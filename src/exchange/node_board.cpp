// See node_board.hpp.
//
// Why slots can be reused without a second barrier: a rank writes its slot for the next reduction only after the
// result of this one was complete, and the result is overwritten only when all ranks have arrived again, each of
// them after it copied the last result.
#include "exchange/node_board.hpp"

#include <cstring>

namespace collio::exchange {

namespace {

constexpr std::size_t line = 64;

}  // namespace

/// All zero at first, as fresh shared memory is.
struct NodeBoard::Head {
  alignas(line) SharedWord arrived;
  alignas(line) SharedWord turn;
};

std::unique_ptr<NodeBoard> NodeBoard::make(MPI_Comm node, std::size_t record_bytes) {
  int size = 1;
  MPI_Comm_size(node, &size);
  const std::size_t rounded = (record_bytes + line - 1) / line * line;
  std::string why;
  const auto ranks = static_cast<std::size_t>(size);
  auto memory = SharedMemory::share({node}, sizeof(Head) + rounded * (ranks + 1) + sizeof(Note) * ranks, why);
  if (!memory) return nullptr;
  return std::unique_ptr<NodeBoard>(new NodeBoard(node, std::move(memory), rounded));
}

NodeBoard::NodeBoard(MPI_Comm node, std::unique_ptr<SharedMemory> memory, std::size_t record_bytes)
    : comm_(node), memory_(std::move(memory)), head_(reinterpret_cast<Head*>(memory_->data())),
      record_bytes_(record_bytes) {
  MPI_Comm_rank(node, &rank_);
  MPI_Comm_size(node, &size_);
}

std::byte* NodeBoard::slot(int index) const noexcept {
  return reinterpret_cast<std::byte*>(head_ + 1) + record_bytes_ * static_cast<std::size_t>(index);
}

std::span<Note> NodeBoard::notes() const noexcept {
  return {reinterpret_cast<Note*>(slot(size_ + 1)), static_cast<std::size_t>(size_)};  // behind the result
}

void NodeBoard::publish(std::uint32_t turn) noexcept {
  head_->arrived.value.store(0, std::memory_order_relaxed);
  head_->turn.set(turn + 1);
}

void NodeBoard::reduce(std::byte* record, std::size_t bytes, Combine combine, const Across& across) {
  std::byte* result = slot(size_);
  const std::uint32_t turn = head_->turn.load();
  const auto all = static_cast<std::uint32_t>(size_);
  std::memcpy(slot(rank_), record, bytes);
  const bool last = head_->arrived.value.fetch_add(1, std::memory_order_acq_rel) + 1 == all;
  if (last) {
    std::memcpy(result, slot(0), bytes);
    for (int i = 1; i < size_; ++i) combine(slot(i), result, bytes);
    if (across)
      head_->arrived.set(all + 1);  // the result is there; wakes the first rank
    else
      publish(turn);
  }
  if (across && rank_ == 0) {
    WordWait wait(comm_);
    for (std::uint32_t seen = head_->arrived.load(); seen != all + 1; seen = head_->arrived.load())
      wait.idle(head_->arrived, seen);
    across(result);
    publish(turn);
  }
  for (WordWait wait(comm_); head_->turn.load() == turn;) wait.idle(head_->turn, turn);
  std::memcpy(record, result, bytes);
}

}  // namespace collio::exchange
