// A reduction in shared memory, for communicators that live on one node.
//
// Every rank leaves its record on a board; the last to arrive combines them and wakes the others. That is one
// wake-up per rank instead of a message per rank and step, which is what counts when ranks outnumber cores.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "exchange/futex.hpp"
#include "exchange/shared_memory.hpp"

namespace collio::exchange {

class NodeBoard {
 public:
  using Combine = void (*)(const std::byte* in, std::byte* inout, std::size_t bytes);

  /// Null on all ranks or on none: there is no shared memory to be had, use messages. `record_bytes`: longest record.
  /// Collective.
  static std::unique_ptr<NodeBoard> make(MPI_Comm node, std::size_t record_bytes);

  [[nodiscard]] std::size_t record_bytes() const noexcept { return record_bytes_; }
  /// Combines the ranks' records, in any order; the result replaces `record`. Collective. bytes <= record_bytes().
  void reduce(std::byte* record, std::size_t bytes, Combine combine);

 private:
  struct Head;
  NodeBoard(MPI_Comm node, std::unique_ptr<SharedMemory> memory, std::size_t record_bytes);
  [[nodiscard]] std::byte* slot(int index) const noexcept;

  MPI_Comm comm_;
  std::unique_ptr<SharedMemory> memory_;
  Head* head_;
  std::size_t record_bytes_;
  int rank_ = 0, size_ = 1;
};

}  // namespace collio::exchange
