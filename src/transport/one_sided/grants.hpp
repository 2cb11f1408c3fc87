// The aggregator's side of one-sided transfers: leave to put data into a collective buffer, or get it from
// there, and word that it is done.
//
// A description is answered with a grant: of a write as soon as the round has a buffer, of a read when the
// bytes are there. Under locks each transfer ends with a note from the rank that made it; the transfers of a
// round are over when no note is owed any more. Under fences there are no notes: all ranks agree which rounds
// a fence ended.
#pragma once

#include <map>

#include "transport/messages/in_flight.hpp"
#include "transport/messages/link.hpp"
#include "transport/one_sided/remote_buffers.hpp"

namespace collio::transport {

/// Leave to transfer the pieces of a description.
struct Grant {
  /// of the window's first byte, in the aggregator's memory
  std::int64_t displacement = 0;
  /// read: those before the end of the file, from the first piece on
  std::int64_t bytes = 0;
};
/// What a rank says when a transfer under locks is over.
struct DoneNote {
  std::int64_t round = 0;
};

/// Whether a message's data goes by a transfer of its own, not with the message. Sender and aggregator think
/// alike. Tiny pieces go with the message: the aggregator has to place them anyway, which a datatype of as
/// many entries does no better.
[[nodiscard]] inline bool goes_one_sided(const MessageLink& link, const MessageHeader& header) noexcept {
  return link.remote && header.pieces > 0 && header.data_bytes() / header.pieces >= link.shortest_piece_bytes;
}

class Grants {
 public:
  explicit Grants(MessageLink link) : link_(link) {}
  ~Grants() = default;
  Grants(const Grants&) = delete;
  Grants& operator=(const Grants&) = delete;

  /// Leave to the source of `asked`. From now on the transfer is under way.
  void give(const MessageHeader& asked, const Grant& grant);
  /// Transfers of a round that are not over.
  [[nodiscard]] int under_way(std::int64_t round) const noexcept;
  /// All grants have left, all transfers are over.
  [[nodiscard]] bool idle() const noexcept { return sends_.empty() && under_way_.empty(); }
  /// All grants have left.
  [[nodiscard]] bool sent() const noexcept { return sends_.empty(); }
  /// Retires grants, takes notes. True when anything happened.
  bool advance();
  /// Fences: the transfers of all rounds before `round` are over.
  void end_before(std::int64_t round) { under_way_.erase(under_way_.begin(), under_way_.lower_bound(round)); }

 private:
  bool take_note();

  MessageLink link_;
  InFlight<Grant> sends_;
  /// by round
  std::map<std::int64_t, int> under_way_;
};

}  // namespace collio::transport
