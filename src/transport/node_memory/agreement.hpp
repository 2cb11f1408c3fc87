// Small reductions by which all ranks come to the same knowledge. All Collective; none spins.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "policy/plan/digest.hpp"
#include "transport/node_memory/node_board.hpp"

namespace collio::transport {

/// How a call ended, on all ranks.
struct Outcome {
  std::int64_t error = 0;  ///< worst core::ErrorClass
  std::int64_t intact_below =
      policy::Digest::nothing;    ///< all bytes of the call below this offset were moved
  std::int64_t again = 0;         ///< a write left windows out: pieces overlap and leave holes
  std::int64_t left_out = 0;      ///< a write left slow subfiles out: it has to be made again
  std::int64_t untiled = 0;       ///< a window was not tiled by the pieces in it
  std::int64_t longest_ns = 0;    ///< time of the rank that took longest
  std::int64_t failed_rank = -1;  ///< highest rank with the worst error; -1: none
};

/// The collective call on a file that a rank is in.
struct CallHere {
  std::int64_t kind = 0;  ///< the same for calls that are done as one
  std::int64_t form = 0;  ///< the same for calls of one name
  char name[32] = "open";
  const std::string* file = nullptr;  ///< for messages
};

/// The reductions of one communicator. Construction is local; every other member, the destructor included, is
/// Collective.
class Agreement {
 public:
  /// Of a board that serves reductions other than of long vectors.
  static constexpr std::size_t board_record_bytes = 1152;
  /// Of `more` in worst().
  static constexpr std::size_t most_numbers = 12;
  explicit Agreement(MPI_Comm comm);
  /// From now on in two steps, by shared memory in each node and by messages between the nodes' first ranks,
  /// where all nodes have shared memory. `node`: the ranks of this rank's node; `leaders`: the first rank of
  /// each. Collective. `longest_vector`: most elements of a later sum() or maximum() by this way.
  void use_node_boards(MPI_Comm node, const std::vector<int>& leaders, std::size_t longest_vector);
  /// The same on a board that all ranks have, which are on one node. Not collective.
  void use_board(std::shared_ptr<NodeBoard> board) { board_ = std::move(board); }
  ~Agreement();
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  /// The board of this rank's node, or null.
  [[nodiscard]] NodeBoard* board() const noexcept { return board_.get(); }
  [[nodiscard]] bool by_shared_memory() const noexcept { return board_ != nullptr; }
  /// Where this rank is from now on. digest() and worst() return an error on all ranks when they are in calls
  /// of different kinds: `not_same`, with the names of two ranks and their calls. Not collective.
  void come_to(const CallHere& call) noexcept { here_ = call; }
  [[nodiscard]] const CallHere& here() const noexcept { return here_; }
  /// Combines the ranks' digests, and how those fared that moved their bytes ahead.
  [[nodiscard]] core::Error digest(policy::Digest& digest, Outcome& ahead) const;
  /// The worst error wins; the lowest `intact_below` wins. Of ranks that are known to be in one call.
  void outcome(Outcome& outcome) const;
  /// The least of the ranks' numbers. Of ranks that are known to be in one call.
  [[nodiscard]] std::int64_t least(std::int64_t mine) const;
  /// The worst of the ranks' errors, with this rank's own message where it has one. `what` completes
  /// "rank N " for the others.
  [[nodiscard]] core::Error worst(const core::Error& mine, const std::string& what) const;
  /// The same, and the element-wise maximum of `more` over ranks, in one reduction: at most most_numbers.
  [[nodiscard]] core::Error worst(const core::Error& mine, const std::string& what,
                                  std::span<std::int64_t> more) const;
  /// What `rank` has to say, on all ranks, with its number before it; at most 400 bytes. For errors: it costs
  /// a broadcast.
  [[nodiscard]] std::string words_of(std::int64_t rank, std::string mine) const;
  /// Element-wise sum and maximum over ranks; the length is the same everywhere.
  void sum(std::vector<std::int32_t>& counts) const;
  void maximum(std::vector<std::int32_t>& values) const;

 private:
  /// What ranks combine, in one form whatever their calls: they may be in different ones, and find out by it.
  struct Meeting;
  /// An error: they are.
  [[nodiscard]] core::Error meet(Meeting& meeting) const;
  [[nodiscard]] core::Error different_calls(const policy::Digest& all) const;
  [[nodiscard]] core::Error error_of(std::int64_t kind, std::int64_t rank, const core::Error& mine,
                                     const std::string& what) const;
  void combine_numbers(std::vector<std::int32_t>& numbers, MPI_Op op, NodeBoard::Combine on_board) const;

  MPI_Comm comm_;
  int rank_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;  ///< a Meeting
  MPI_Op op_ = MPI_OP_NULL;
  CallHere here_;
  std::shared_ptr<NodeBoard> board_;
  MPI_Comm leaders_ = MPI_COMM_NULL;  ///< the nodes' first ranks, where there are several nodes
  MPI_Comm leaders_numbers_ =
      MPI_COMM_NULL;  ///< the same; as on the board, reductions of numbers never meet others
  bool several_nodes_ = false;
};

}  // namespace collio::transport
