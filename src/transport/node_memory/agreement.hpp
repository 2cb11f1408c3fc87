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
#include "policy/digest.hpp"
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

/// The reductions of one communicator. Construction is local; every other member, the destructor included, is
/// Collective.
class Agreement {
 public:
  /// Of a board that serves reductions other than of long vectors.
  static constexpr std::size_t board_record_bytes = 1152;
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
  /// Combines the ranks' digests, and how those fared that moved their bytes ahead.
  void digest(policy::Digest& digest, Outcome& ahead) const;
  /// The worst error wins; the lowest `intact_below` wins.
  void outcome(Outcome& outcome) const;
  /// The least of the ranks' numbers.
  [[nodiscard]] std::int64_t least(std::int64_t mine) const;
  /// The worst of the ranks' errors, with this rank's own message where it has one. `what` completes
  /// "rank N " for the others.
  [[nodiscard]] core::Error worst(const core::Error& mine, const std::string& what) const;
  /// The same, and the element-wise maximum of `more` over ranks, in one reduction.
  [[nodiscard]] core::Error worst(const core::Error& mine, const std::string& what,
                                  std::span<std::int64_t> more) const;
  /// What `rank` has to say, on all ranks, with its number before it; at most 400 bytes. For errors: it costs
  /// a broadcast.
  [[nodiscard]] std::string words_of(std::int64_t rank, std::string mine) const;
  /// Element-wise sum and maximum over ranks; the length is the same everywhere.
  void sum(std::vector<std::int32_t>& counts) const;
  void maximum(std::vector<std::int32_t>& values) const;

 private:
  /// A record of 64-bit integers with an operation of its own.
  struct Record {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    NodeBoard::Channel channel{};
  };
  static Record make(std::size_t bytes, MPI_User_function* combine, NodeBoard::Channel channel);
  template <class T>
  void combine(T& record, const Record& how, NodeBoard::Combine on_board) const;
  [[nodiscard]] core::Error error_of(std::int64_t kind, std::int64_t rank, const core::Error& mine,
                                     const std::string& what) const;
  void combine_numbers(std::span<std::byte> values, MPI_Datatype type, MPI_Op op,
                       NodeBoard::Combine on_board) const;

  MPI_Comm comm_;
  int rank_ = 0;
  Record digest_, outcome_;
  std::shared_ptr<NodeBoard> board_;
  MPI_Comm leaders_ = MPI_COMM_NULL;  ///< the nodes' first ranks, where there are several nodes
  MPI_Comm leaders_numbers_ =
      MPI_COMM_NULL;  ///< the same; as on the board, reductions of numbers never meet others
  bool several_nodes_ = false;
};

}  // namespace collio::transport
