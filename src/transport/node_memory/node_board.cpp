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

namespace {

std::size_t rounded(std::size_t record_bytes) {
  return (record_bytes + cache_line - 1) / cache_line * cache_line;
}

}  // namespace

std::size_t NodeBoard::bytes_for(int ranks, std::size_t record_bytes) noexcept {
  const auto n = static_cast<std::size_t>(ranks);
  return sizeof(Head) + rounded(record_bytes) * channels * (n + 1) + sizeof(Note) * n;
}

std::unique_ptr<NodeBoard> NodeBoard::make(MPI_Comm node, std::size_t record_bytes) {
  User user{node};
  MPI_Comm_rank(node, &user.rank);
  MPI_Comm_size(node, &user.size);
  std::string why;
  auto memory = SharedMemory::share({node}, bytes_for(user.size, record_bytes), why);
  if (!memory) return nullptr;
  return std::make_unique<NodeBoard>(user, std::move(memory), record_bytes);
}

NodeBoard::NodeBoard(const User& user, std::shared_ptr<SharedMemory> memory, std::size_t record_bytes)
    : user_(user),
      memory_(std::move(memory)),
      head_(reinterpret_cast<Head*>(memory_->data())),
      record_bytes_(rounded(record_bytes)) {}

std::byte* NodeBoard::slot(Channel channel, int index) const noexcept {
  const int at = static_cast<int>(channel) * (user_.size + 1) + index;
  return reinterpret_cast<std::byte*>(head_ + 1) + record_bytes_ * static_cast<std::size_t>(at);
}

std::span<Note> NodeBoard::notes() const noexcept {
  return {reinterpret_cast<Note*>(slot(Channel::opening, user_.size + 1)),
          static_cast<std::size_t>(user_.size)};  // behind the last result
}

void NodeBoard::publish(Part& part, std::uint32_t turn) noexcept {
  part.arrived.value.store(0, std::memory_order_relaxed);
  part.turn.set(turn + 1);
}

void NodeBoard::reduce_on(MPI_Comm comm, Channel channel, std::span<std::byte> record, Combine combine,
                          const Across& across) {
  Part& part = head_->parts[static_cast<std::size_t>(channel)];
  std::byte* result = slot(channel, user_.size);
  const std::uint32_t turn = part.turn.load();
  const auto all = static_cast<std::uint32_t>(user_.size);
  const std::size_t bytes = record.size();
  std::memcpy(slot(channel, user_.rank), record.data(), bytes);
  const bool last = part.arrived.value.fetch_add(1, std::memory_order_acq_rel) + 1 == all;
  if (last) {
    std::memcpy(result, slot(channel, 0), bytes);
    for (int i = 1; i < user_.size; ++i) combine(slot(channel, i), result, bytes);
    if (across)
      part.arrived.set(all + 1);  // the result is there; wakes the first rank
    else
      publish(part, turn);
  }
  if (across && user_.rank == 0) {
    WordWait wait(comm, WordWait::For::ranks);
    for (std::uint32_t seen = part.arrived.load(); seen != all + 1; seen = part.arrived.load())
      wait.idle(part.arrived, seen);
    across(result);
    publish(part, turn);
  }
  for (WordWait wait(comm, WordWait::For::ranks); part.turn.load() == turn;) wait.idle(part.turn, turn);
  std::memcpy(record.data(), result, bytes);
}

}  // namespace collio::transport
