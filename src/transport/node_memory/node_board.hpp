// A reduction in the shared memory of a node.
//
// Every rank leaves its record on a board; the last to arrive combines them and wakes the others. That is one
// wake-up per rank instead of a message per rank and step, which is what counts when ranks outnumber cores.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "transport/liveness/presence.hpp"
#include "transport/node_memory/shared_memory.hpp"
#include "transport/waiting/futex.hpp"

namespace collio::transport {

class NodeBoard {
 public:
  using Combine = void (*)(const std::byte* in, std::byte* inout, std::size_t bytes);
  /// Reductions on different channels never meet, whatever order ranks make them in. Those on `calls` say
  /// which call they are of.
  enum class Channel { calls, numbers, opening };
  static constexpr int channels = 3;

  /// Null on all ranks or on none: there is no shared memory to be had, use messages. `record_bytes`: longest
  /// record. Collective.
  static std::unique_ptr<NodeBoard> make(MPI_Comm node, std::size_t record_bytes);
  /// Who uses a board: rank `rank` of `size`, which look for messages on `comm` while they wait; null: on
  /// none.
  struct User {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, size = 1;
  };
  /// On memory that the ranks share, all zero, of this many bytes.
  NodeBoard(const User& user, std::shared_ptr<SharedMemory> memory, std::size_t record_bytes);
  [[nodiscard]] static std::size_t bytes_for(int ranks, std::size_t record_bytes) noexcept;
  /// The ranks' notes, in the order of the node.
  [[nodiscard]] std::span<Note> notes() const noexcept;

  [[nodiscard]] std::size_t record_bytes() const noexcept { return record_bytes_; }
  [[nodiscard]] int rank() const noexcept { return user_.rank; }
  /// Where ranks look for messages from now on while they wait. Not collective.
  void set_comm(MPI_Comm comm) noexcept { user_.comm = comm; }
  /// Combines the ranks' records, in any order; the result replaces `record`. Where `across` is given, the
  /// node's first rank calls it with the node's result before the others get it: to combine it with other
  /// nodes'. All ranks give it, or none. Collective, by channel. record.size() <= record_bytes().
  using Across = std::function<void(std::byte* record)>;
  void reduce(Channel channel, std::span<std::byte> record, Combine combine, const Across& across = {}) {
    reduce_on(user_.comm, channel, record, combine, across);
  }
  /// The same. `comm`: where messages are looked for meanwhile, of the board's ranks.
  void reduce_on(MPI_Comm comm, Channel channel, std::span<std::byte> record, Combine combine,
                 const Across& across = {});

 private:
  struct Head;
  struct Part;
  [[nodiscard]] std::byte* slot(Channel channel, int index) const noexcept;
  static void publish(Part& part, std::uint32_t turn) noexcept;

  User user_;
  std::shared_ptr<SharedMemory> memory_;
  Head* head_;
  std::size_t record_bytes_;
};

}  // namespace collio::transport
