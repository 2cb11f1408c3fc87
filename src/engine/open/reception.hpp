// Where the ranks of a communicator meet when they open a file on it.
//
// A meeting by messages is what an open costs most: 16 ranks on 2 cores need 3 ms for a reduction of MPICH,
// and a fifth of a millisecond for one in shared memory. So on a communicator's first open its first rank
// makes shared memory and invites the others, by a broadcast. One reduction by messages then says whether all
// ranks have come into the memory. If they have, they are on one node, and the rest of
// this open and all of the next ones need no messages. Ranks of several nodes, and more than `most_ranks`,
// stay with messages.
//
// Whether there is an invitation is the same on all ranks: it depends on earlier opens on this communicator
// alone, which are collective.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/open/crew_holders.hpp"
#include "engine/open/discover.hpp"
#include "engine/open/ticket.hpp"
#include "transport/node_memory/node_board.hpp"

namespace collio::engine {

/// Shared memory that all ranks of a communicator have come into.
class Hall {
 public:
  static constexpr std::size_t mask_words = 16, most_numas = 16;
  /// What the first rank says of its node.
  struct FirstOnNode {
    /// its cores and memory domains are counted when all ranks have come
    NodeFacts facts;
    /// names a new crew
    CrewId fresh{};
    std::int32_t numas = 0;
    /// of each memory domain
    std::uint64_t processors[most_numas][mask_words];
  };
  /// What ranks leave there before they meet. All zero at first.
  struct Left {
    /// sums, as in a PlaceKey
    std::atomic<std::uint64_t> ranks[2];
    /// of all ranks
    std::atomic<std::uint64_t> processors[mask_words];
    /// of the first rank
    FirstOnNode first;
  };
  /// `strangers`: no rank knows a crew.
  Hall(MPI_Comm comm, std::shared_ptr<transport::NodeBoard> board, const Left& left, bool strangers);

  [[nodiscard]] const std::shared_ptr<transport::NodeBoard>& board() const noexcept { return board_; }
  [[nodiscard]] const std::array<std::uint64_t, 2>& ranks() const noexcept { return ranks_; }
  [[nodiscard]] const NodeFacts& facts() const noexcept { return facts_; }
  /// Names a new crew.
  [[nodiscard]] const CrewId& fresh() const noexcept { return fresh_; }
  /// No rank has a crew, of whatever ranks.
  [[nodiscard]] bool strangers() const noexcept { return strangers_; }
  /// The first rank's record, on all ranks. Collective.
  void hear_first(std::span<std::byte> record) const;
  /// True on all ranks when `mine` is true on all. Collective.
  [[nodiscard]] bool all_true(bool mine) const;

 private:
  MPI_Comm comm_;
  std::shared_ptr<transport::NodeBoard> board_;
  std::array<std::uint64_t, 2> ranks_{};
  NodeFacts facts_;
  CrewId fresh_{};
  bool strangers_;
};

class Reception {
 public:
  static constexpr int most_ranks = 512;
  /// Ints of the broadcast by which the first rank invites.
  static constexpr int invitation_words = 14;

  /// `comm`: an intracommunicator. Not collective.
  explicit Reception(MPI_Comm comm) noexcept;
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  /// What meet() has places for among the words.
  struct Places {
    int in_memory, noted, engine;
  };
  /// The least of each word over all ranks. `at`: this rank's words there tell the others of the memory;
  /// where the least word of `engine` is 0 a rank has none. Once. Collective.
  void meet(std::span<std::int32_t> words, const Places& at);
  /// After meet(), where this open's ranks have come into new memory: the same on all ranks. Null: they have
  /// not.
  [[nodiscard]] const Hall* hall() const noexcept { return hall_ ? &*hall_ : nullptr; }

 private:
  struct Invitation {
    transport::SharedMemory::Name name;
    std::uint64_t host = 0, bytes = 0;
  };
  static_assert(sizeof(Invitation) == invitation_words * sizeof(std::int32_t));
  void invite();
  [[nodiscard]] bool come_in();
  void meet_by_messages(std::span<std::int32_t> words, const Places& at);

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  /// null: there was no memory for it
  Met* met_ = nullptr;
  Invitation invitation_;
  /// open until all ranks have come in, or will not
  transport::ObjectDoor door_;
  std::unique_ptr<transport::SharedMemory> memory_;
  std::optional<Hall> hall_;
};

}  // namespace collio::engine
