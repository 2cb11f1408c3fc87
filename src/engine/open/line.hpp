// What the collective calls on one file at a time need to talk: communicators of collio's own, and a board in
// each node.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <optional>

#include "engine/open/discover.hpp"
#include "engine/open/reception.hpp"
#include "transport/node_memory/agreement.hpp"

namespace collio::engine {

struct Line {
  /// A line of `comm`'s ranks. `place`: where they are; found out and set when it is not known. Collective.
  /// `hall`: where all of them are, on one node, whose board no line has; null: there is none. An error on
  /// all ranks: MPI has no communicators left, or fails on some rank.
  static core::Result<std::unique_ptr<Line>> make(MPI_Comm comm, std::optional<Place>& place,
                                                  const Hall* hall = nullptr);
  /// Collective.
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  /// Takes the line for a file of this process, when no other has it. Ranks come to this in any order. Not
  /// collective.
  void take() noexcept;
  [[nodiscard]] bool try_take() noexcept { return !busy_.exchange(true); }
  void release() noexcept { busy_ = false; }
  [[nodiscard]] bool busy() const noexcept { return busy_; }

  /// all ranks
  MPI_Comm comm = MPI_COMM_NULL;
  /// those of this rank's node; the same where it has all ranks
  MPI_Comm node = MPI_COMM_NULL;
  std::unique_ptr<transport::Agreement> agreement;

 private:
  Line() = default;
  [[nodiscard]] core::Error set_up(MPI_Comm comm, std::optional<Place>& place);
  [[nodiscard]] core::Error set_up_in(const Hall& hall, MPI_Comm comm);
  std::atomic<bool> busy_{false};
};

}  // namespace collio::engine
