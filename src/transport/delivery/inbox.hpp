// The receiving side of an aggregator: the messages of its current round, and of later ones it has room for.
//
// Each message says in which round its sender will write again, so the aggregator always knows how many to
// expect, without any collective: of a round for certain when all before it are complete. Sizes are learnt by
// matched probes; a few receives are under way at a time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "transport/messages/in_flight.hpp"
#include "transport/messages/link.hpp"
#include "transport/messages/message.hpp"

namespace collio::transport {

/// A received message and the buffer it lies in. Null: it lies in the call's room, and is gone when the one
/// it was handed to returns.
struct Received {
  Buffer buffer;
  MessageView view;
  /// of the message
  std::size_t bytes = 0;

  /// Sees to a buffer, if there is none. False: there is no memory.
  [[nodiscard]] bool keep(BufferPool& pool);
};

/// Messages that came before their turn; shared by the inboxes of a rank.
using EarlyMessages = std::vector<Received>;

class Inbox {
 public:
  /// Messages for `domain`. `senders`: how many will come in round 0; each announces the next of its sender.
  Inbox(MessageLink link, int domain, int senders, EarlyMessages& early);
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Tells in which round this rank itself has pieces for its own domain (no message announces that).
  void announce_own(std::int64_t round);
  /// The current round: the first that is not over; no_round when nothing more is expected.
  [[nodiscard]] std::int64_t round() const noexcept {
    return rounds_.empty() ? no_round : rounds_.begin()->first;
  }
  /// The first round known of that is not open; no_round: none. An earlier one may still be announced.
  [[nodiscard]] std::int64_t next_closed() const noexcept;
  /// From now on the messages of `round` are accepted. Of several open rounds, only those known to come.
  void open(std::int64_t round) { rounds_[round].open = true; }
  /// True when every message of the current round has been handed out. False while it is not open.
  [[nodiscard]] bool round_complete() const noexcept {
    return !rounds_.empty() && rounds_.begin()->second.open &&
           rounds_.begin()->second.accepted == rounds_.begin()->second.expected;
  }
  /// The first round of which messages are still to be handed out, a window to be opened included; no_round:
  /// none.
  [[nodiscard]] std::int64_t first_incomplete() const noexcept;
  /// Messages of the current round.
  [[nodiscard]] int expected() const noexcept {
    return rounds_.empty() ? 0 : rounds_.begin()->second.expected;
  }
  /// The current round is over: the next one is that in which anyone has pieces.
  void next_round() { rounds_.erase(rounds_.begin()); }
  /// Receives; hands every complete message to `accept`. True when anything happened. Throws std::bad_alloc
  /// where a message is longer than the call's room, and there is no memory.
  bool advance(const std::function<void(Received&&)>& accept);

 private:
  struct Receive {
    Buffer buffer;
    std::int64_t bytes = 0;
    /// whose tag it has
    std::int64_t round = 0;
    /// the buffer is the call's room
    bool borrowed = false;
  };
  /// A message that has no buffer yet.
  struct Matched {
    MPI_Message message = MPI_MESSAGE_NULL;
    int bytes = 0;
    std::int64_t round = 0;
  };
  /// Messages of a round: expected, those known (own pieces count 0), matched or handed out so far.
  struct Round {
    int expected = 0, matched = 0, accepted = 0;
    bool open = false;
  };

  bool match();
  bool match(std::int64_t number, Round& round);
  bool begin_receive();
  bool retire(const std::function<void(Received&&)>& accept);
  void conclude(Receive& receive, const std::function<void(Received&&)>& accept);
  bool accept_early(const std::function<void(Received&&)>& accept);
  void take_over(Received&& message, const std::function<void(Received&&)>& accept);
  /// The open round a message belongs to; null: none, keep it.
  [[nodiscard]] Round* round_of(const MessageHeader& header) noexcept;

  MessageLink link_;
  /// by number: those that are not over
  std::map<std::int64_t, Round> rounds_;
  EarlyMessages& early_;
  int domain_;
  std::optional<Matched> matched_;
  InFlight<Receive> under_way_;
  std::int64_t under_way_bytes_ = 0;
};

}  // namespace collio::transport
