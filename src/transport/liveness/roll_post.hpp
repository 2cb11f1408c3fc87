// The messages of roll calls, which ranks send while they wait for others.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "transport/messages/in_flight.hpp"

namespace collio::transport {

/// What a message of a roll call is.
enum class RollKind : std::int32_t { state, question, told };

/// How ranks of a roll call reach each other. Not collective.
class RollPost {
 public:
  struct Letter {
    std::vector<std::byte> bytes;
    int from = 0;
  };
  /// Of this rank among `size`.
  RollPost(int own_rank, int ranks) noexcept : rank(own_rank), size(ranks) {}
  virtual ~RollPost() = default;
  RollPost(const RollPost&) = delete;
  RollPost& operator=(const RollPost&) = delete;

  /// Nothing is sent while `to` has not taken the last letter of this kind. Throws std::bad_alloc, and then
  /// nothing was sent.
  virtual void send(RollKind kind, int to, std::vector<std::byte> bytes) = 0;
  /// Letters that have come whole. Does not wait.
  [[nodiscard]] virtual std::vector<Letter> receive() = 0;
  /// Takes all letters out, whatever they say. Collective; all ranks must be known to come.
  virtual void finish() = 0;

  const int rank, size;
};

/// By MPI.
class RollMessages final : public RollPost {
 public:
  /// Messages on `comm` have a tag of their own. Not collective.
  explicit RollMessages(MPI_Comm comm);
  void send(RollKind kind, int to, std::vector<std::byte> bytes) override;
  [[nodiscard]] std::vector<Letter> receive() override;
  void finish() override;

 private:
  struct Sending {
    std::vector<std::byte> message;
    int to = 0;
    RollKind kind = RollKind::state;
  };
  void retire_sends();

  MPI_Comm comm_;
  InFlight<Sending> sends_;
  InFlight<Letter> receives_;
  /// by sends_
  std::set<std::pair<int, RollKind>> sent_to_;
};

}  // namespace collio::transport
