// See node_board.hpp.
//
// Why slots can be reused without a second barrier: a rank writes its slot for the next reduction only after
// the result of this one was complete, and the result is overwritten only when all ranks have arrived again,
// each of them after it copied the last result.
#include "transport/node_memory/node_board.hpp"

#include <cstring>

namespace collio::transport {

namespace {

constexpr std::size_t cache_line = 64;

}  // namespace

/// Of one channel. All zero at first, as fresh shared memory is.
struct NodeBoard::Part {
  alignas(cache_line) SharedWord arrived;
  alignas(cache_line) SharedWord turn;
};

struct NodeBoard::Head {
  Part parts[channels];
};

std::unique_ptr<NodeBoard> NodeBoard::make(MPI_Comm node, std::size_t record_bytes) {
  int size = 1;
  MPI_Comm_size(node, &size);
  const std::size_t rounded = (record_bytes + cache_line - 1) / cache_line * cache_line;
  std::string why;
  const auto ranks = static_cast<std::size_t>(size);
  auto memory = SharedMemory::share(
      {node}, sizeof(Head) + rounded * channels * (ranks + 1) + sizeof(Note) * ranks, why);
  if (!memory) return nullptr;
  return std::unique_ptr<NodeBoard>(new NodeBoard(node, std::move(memory), rounded));
}

NodeBoard::NodeBoard(MPI_Comm node, std::unique_ptr<SharedMemory> memory, std::size_t record_bytes)
    : comm_(node),
      memory_(std::move(memory)),
      head_(reinterpret_cast<Head*>(memory_->data())),
      record_bytes_(record_bytes) {
  MPI_Comm_rank(node, &rank_);
  MPI_Comm_size(node, &size_);
}

std::byte* NodeBoard::slot(Channel channel, int index) const noexcept {
  const int at = static_cast<int>(channel) * (size_ + 1) + index;
  return reinterpret_cast<std::byte*>(head_ + 1) + record_bytes_ * static_cast<std::size_t>(at);
}

std::span<Note> NodeBoard::notes() const noexcept {
  return {reinterpret_cast<Note*>(slot(Channel::numbers, size_ + 1)),
          static_cast<std::size_t>(size_)};  // behind the last result
}

void NodeBoard::publish(Part& part, std::uint32_t turn) noexcept {
  part.arrived.value.store(0, std::memory_order_relaxed);
  part.turn.set(turn + 1);
}

void NodeBoard::reduce(Channel channel, std::byte* record, std::size_t bytes, Combine combine,
                       const Across& across) {
  Part& part = head_->parts[static_cast<std::size_t>(channel)];
  std::byte* result = slot(channel, size_);
  const std::uint32_t turn = part.turn.load();
  const auto all = static_cast<std::uint32_t>(size_);
  std::memcpy(slot(channel, rank_), record, bytes);
  const bool last = part.arrived.value.fetch_add(1, std::memory_order_acq_rel) + 1 == all;
  if (last) {
    std::memcpy(result, slot(channel, 0), bytes);
    for (int i = 1; i < size_; ++i) combine(slot(channel, i), result, bytes);
    if (across)
      part.arrived.set(all + 1);  // the result is there; wakes the first rank
    else
      publish(part, turn);
  }
  if (across && rank_ == 0) {
    WordWait wait(comm_, WordWait::For::ranks);
    for (std::uint32_t seen = part.arrived.load(); seen != all + 1; seen = part.arrived.load())
      wait.idle(part.arrived, seen);
    across(result);
    publish(part, turn);
  }
  for (WordWait wait(comm_, WordWait::For::ranks); part.turn.load() == turn;) wait.idle(part.turn, turn);
  std::memcpy(record, result, bytes);
}

}  // namespace collio::transport
