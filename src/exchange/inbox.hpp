// The receiving side of an aggregator: the messages of its current round.
//
// Each message says in which round its sender will write again, so the aggregator always knows how many to
// expect, without any collective. Sizes are learnt by matched probes; a few receives are under way at a time.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "exchange/link.hpp"
#include "exchange/message.hpp"

namespace collio::exchange {

/// A received message and the buffer it lies in.
struct Received {
  Buffer buffer;
  MessageView view;
};

/// Messages that came before their turn; shared by the inboxes of a rank.
using EarlyMessages = std::vector<Received>;

class Inbox {
 public:
  /// Messages for `domain`. `senders`: how many will come in round 0; each announces the next of its sender.
  Inbox(Link link, int domain, int senders, EarlyMessages& early);
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Tells in which round this rank itself has pieces for its own domain (no message announces that).
  void announce_own(std::int64_t round);
  /// The round whose messages are accepted now; no_round when nothing more is expected.
  [[nodiscard]] std::int64_t round() const noexcept { return expected_.empty() ? no_round : expected_.begin()->first; }
  /// True when every message of the current round has been handed out.
  [[nodiscard]] bool round_complete() const noexcept { return missing() == 0 && under_way_.empty(); }
  /// Messages of the current round.
  [[nodiscard]] int expected() const noexcept { return expected_.empty() ? 0 : expected_.begin()->second; }
  /// Goes to the next round in which anyone has pieces.
  void next_round();
  /// Receives; hands every complete message to `accept`. True when anything happened.
  bool advance(const std::function<void(Received&&)>& accept);

 private:
  struct Receive {
    MPI_Request request = MPI_REQUEST_NULL;
    Buffer buffer;
    std::int64_t bytes = 0;
  };

  bool match();
  bool accept_early(const std::function<void(Received&&)>& accept);
  void take_over(Received&& message, const std::function<void(Received&&)>& accept);
  [[nodiscard]] int missing() const noexcept {
    return expected_.empty() ? 0 : expected_.begin()->second - matched_;
  }

  Link link_;
  std::map<std::int64_t, int> expected_;  ///< round -> messages expected (own pieces count 0)
  int matched_ = 0;                       ///< messages of the current round that were matched
  EarlyMessages& early_;
  int domain_;
  std::vector<Receive> under_way_;
  std::int64_t under_way_bytes_ = 0;
};

}  // namespace collio::exchange
