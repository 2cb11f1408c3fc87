// One rank's pieces in one file domain, round by round.
#pragma once

#include <cstdint>
#include <vector>

#include "access/access.hpp"
#include "policy/domains/domains.hpp"
#include "transport/messages/message.hpp"

namespace collio::transport {

/// The pieces of one round: what a message says before its data.
struct Description {
  MessageHeader header;
  /// encoded, slack included
  std::vector<std::uint8_t> extents;
  /// first data byte in the access's stream (from 0)
  std::int64_t stream_begin = 0;
};

/// The part of a domain in which a rank has bytes.
struct DomainPart {
  int domain = 0;
  /// of the rank's bytes
  std::int64_t end = 0;
};

/// Moves a cursor on to its first byte in a domain; the round of that, or no_round. O(log items), for dealt
/// stripes times those in which the rank has bytes only of other domains.
[[nodiscard]] std::int64_t round_ahead(core::Cursor& cursor, const policy::Domains& domains,
                                       const DomainPart& part) noexcept;

/// Walks an access through the windows of domain `domain`. Holds one cursor: no list, no rescans.
class DomainSource {
 public:
  /// `access` is ascending and outlives the source.
  DomainSource(const access::FileAccess& access, const policy::Domains& domains, int domain);

  [[nodiscard]] int domain() const noexcept { return domain_; }
  /// The next round in which this rank has pieces; no_round at the end.
  [[nodiscard]] std::int64_t next_round() const noexcept { return next_round_; }
  /// Data bytes of the next round. O(log items).
  [[nodiscard]] std::int64_t next_bytes() const noexcept;
  /// Describes the pieces of round next_round() and moves on. False: there is no memory for them, and the
  /// description has none. O(items of the round).
  [[nodiscard]] bool describe(Description& out);

 private:
  void describe_pieces(Description& out, std::int64_t limit);
  void find_next_round() noexcept { next_round_ = round_ahead(cursor_, *domains_, {domain_, end_}); }

  const access::FileAccess* access_;
  const policy::Domains* domains_;
  core::Cursor cursor_;
  /// of this rank's bytes
  std::int64_t end_ = 0;
  std::int64_t next_round_ = no_round;
  int domain_ = 0;
  int shift_ = 0;
};

}  // namespace collio::transport
