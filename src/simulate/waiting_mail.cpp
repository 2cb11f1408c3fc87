// See waiting_mail.hpp.
#include "simulate/waiting_mail.hpp"

#include <unordered_map>

namespace collio::simulate {

WaitingMail::WaitingMail(const Shares& shares, int domain, int own) : behind_(shares.rounds().size()) {
  std::unordered_map<int, std::size_t> last;  // round of each sender
  std::int64_t bytes = 0, messages = 0;
  for (std::size_t round = 0; round < behind_.size(); ++round)
    for (const Share& share : shares.of(domain, round)) {
      if (share.party == own || share.bytes == 0) continue;
      empty_ += round > 0 && !last.contains(share.party) ? 1 : 0;
      last[share.party] = round;
      bytes += share.bytes;
      ++messages;
    }
  senders_ = static_cast<int>(last.size());
  mean_bytes_ = bytes / std::max<std::int64_t>(1, messages);
  for (const auto& [sender, round] : last)
    if (round > 0) ++behind_[round - 1];
  for (std::size_t round = behind_.size(); round-- > 1;) behind_[round - 1] += behind_[round];
  // A rank with bytes of this window has its message for it in front of the one for a later window.
  for (std::size_t round = 0; round < behind_.size(); ++round)
    for (const Share& share : shares.of(domain, round))
      if (share.party != own && share.bytes > 0 && last.at(share.party) > round) --behind_[round];
}

}  // namespace collio::simulate
