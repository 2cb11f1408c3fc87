// Ranks of a node in one process, on one mapping of their shared memory, without MPI.
#pragma once

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "transport/node_memory/node_board.hpp"
#include "transport/node_memory/node_slots.hpp"

namespace collio::transport {

/// Memory for all ranks, all zero.
inline std::shared_ptr<SharedMemory> shared_bytes(std::size_t bytes) {
  ObjectDoor door;
  std::string why;
  std::shared_ptr<SharedMemory> memory = SharedMemory::create_alone({.bytes = bytes}, door, why);
  if (!memory) throw std::runtime_error(why);
  return memory;
}

/// Each rank's slots, on the same memory.
inline std::deque<NodeSlots> slots_of(int ranks, const NodeSlots::Size& size) {
  const std::shared_ptr<SharedMemory> memory = shared_bytes(NodeSlots::parts_for(size).end);
  std::deque<NodeSlots> slots;
  for (int rank = 0; rank < ranks; ++rank) slots.emplace_back(memory, size, NodeSlots::Makers{rank, ranks});
  return slots;
}

/// Each rank's board, on the same memory.
inline std::deque<NodeBoard> boards_of(int ranks, std::size_t record_bytes) {
  const std::shared_ptr<SharedMemory> memory = shared_bytes(NodeBoard::bytes_for(ranks, record_bytes));
  std::deque<NodeBoard> boards;
  for (int rank = 0; rank < ranks; ++rank)
    boards.emplace_back(NodeBoard::User{MPI_COMM_NULL, rank, ranks}, memory, record_bytes);
  return boards;
}

}  // namespace collio::transport
