// Messages that have come before their receiver asked for them: the unexpected ones of two_phase.
//
// Every rank sends its next message to each aggregator at once, for a window that may not be open yet; it
// sends the one after when that is matched. So an aggregator has up to one message of every rank with bytes
// of its domain. The MPI library keeps the short ones whole, and searches past all of them.
#pragma once

#include <vector>

#include "simulate/model.hpp"
#include "simulate/shares.hpp"

namespace collio::simulate {

/// Of one domain.
class WaitingMail {
 public:
  /// The library's record of a message.
  static constexpr std::int64_t envelope_bytes = 192;

  /// `own`: the aggregator, which sends itself nothing. O(shares of the domain + ranks).
  WaitingMail(const Shares& shares, int domain, int own);

  /// Ranks with bytes.
  [[nodiscard]] int senders() const noexcept { return senders_; }
  /// Ranks without bytes in the first round: their first message is empty.
  [[nodiscard]] int empty() const noexcept { return empty_; }
  /// Messages for later windows that are searched past while one is received: of ranks without bytes of it.
  /// `round`: an index of the shares'.
  [[nodiscard]] int behind(std::size_t round) const noexcept { return behind_[round]; }
  /// Of one message, with its data.
  [[nodiscard]] std::int64_t mean_bytes() const noexcept { return mean_bytes_; }
  /// Most that the library keeps: all first messages.
  [[nodiscard]] std::int64_t most_bytes(const NodeCosts& costs) const noexcept {
    const std::int64_t kept = mean_bytes_ <= costs.eager_bytes ? mean_bytes_ : 0;
    return senders_ * envelope_bytes + (senders_ - empty_) * kept;
  }

 private:
  int senders_ = 0, empty_ = 0;
  std::vector<int> behind_;
  std::int64_t mean_bytes_ = 0;
};

}  // namespace collio::simulate
