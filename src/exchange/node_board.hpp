// A reduction in shared memory, for communicators that live on one node.
//
// Every rank leaves its record on a board; the last to arrive combines them and wakes the others. That is one
// wake-up per rank instead of a message per rank and step, which is what counts when ranks outnumber cores. Ranks
// sleep on a futex, and wake now and then to let the MPI library progress, as MPI's progress rule demands.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace collio::exchange {

class NodeBoard {
 public:
  using Combine = void (*)(const std::byte* in, std::byte* inout, std::size_t bytes);

  /// Collective; all ranks of `comm` can share memory. `record_bytes`: longest record.
  NodeBoard(MPI_Comm comm, std::size_t record_bytes);
  /// Collective.
  ~NodeBoard();
  NodeBoard(const NodeBoard&) = delete;
  NodeBoard& operator=(const NodeBoard&) = delete;

  /// False on all ranks or on none: there is no shared memory to be had, use messages.
  [[nodiscard]] bool usable() const noexcept { return usable_; }
  [[nodiscard]] std::size_t record_bytes() const noexcept { return record_bytes_; }
  /// Combines the ranks' records, in any order; the result replaces `record`. Collective. bytes <= record_bytes().
  void reduce(std::byte* record, std::size_t bytes, Combine combine);

 private:
  struct Head;
  [[nodiscard]] std::byte* slot(int index) const noexcept;
  void wait_for_turn(std::uint32_t turn);

  MPI_Comm comm_;
  MPI_Win window_ = MPI_WIN_NULL;
  Head* head_ = nullptr;
  std::size_t record_bytes_ = 0;
  int rank_ = 0, size_ = 1;
  bool usable_ = false;
};

}  // namespace collio::exchange
