// The reductions of a communicator's ranks: by messages, or by boards in the shared memory of each node and
// by messages between the nodes.
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/shared.hpp"
#include "transport/node_memory/agreement.hpp"
#include "transport/node_memory/node_board.hpp"

namespace collio::transport {

/// Construction is local; every other member but the destructor is Collective.
class CommAgreement final : public Agreement {
 public:
  /// Of a board that serves reductions other than of long vectors.
  static constexpr std::size_t board_record_bytes = 1152;
  explicit CommAgreement(MPI_Comm comm);
  ~CommAgreement() override;
  /// The nodes as a rank sees them.
  struct Nodes {
    /// the ranks of this rank's node
    MPI_Comm here = MPI_COMM_NULL;
    /// the first rank of each
    core::SharedList<int> leaders;
    int index = 0;
  };
  /// From now on in two steps, by shared memory in each node and by messages between the nodes' first ranks,
  /// where all nodes have shared memory. Collective. `longest_vector`: elements of a sum() or maximum() that
  /// go by the board at once; longer ones go in parts.
  void use_node_boards(Nodes nodes, std::size_t longest_vector);
  /// The same on a board that all ranks have, which are on one node. Not collective.
  void use_board(std::shared_ptr<NodeBoard> board) { board_ = std::move(board); }
  [[nodiscard]] NodeBoard* board() const noexcept override { return board_.get(); }

 private:
  struct Combining;
  [[nodiscard]] bool several_nodes() const noexcept { return nodes_.leaders.size() > 1; }
  void join(Meeting& mine) const override;
  void join(std::span<std::int32_t> numbers, Numbers of) const override;
  void join_after(std::span<std::int64_t> maxima) const override;
  void hear_after(std::span<char> bytes, int rank) const override;

  MPI_Comm comm_;
  /// a Meeting
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  std::shared_ptr<NodeBoard> board_;
  Nodes nodes_;
};

}  // namespace collio::transport
