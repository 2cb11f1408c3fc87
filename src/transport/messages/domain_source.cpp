// See domain_source.hpp.
#include "transport/messages/domain_source.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "access/reserve.hpp"

namespace collio::transport {

std::int64_t round_ahead(core::Cursor& cursor, const policy::Domains& domains,
                         const DomainPart& part) noexcept {
  while (!cursor.at_end() && cursor.offset() < part.end) {
    const std::int64_t begin = domains.next(part.domain, cursor.offset());
    if (begin == cursor.offset()) return domains.round_of(part.domain, begin);
    if (begin >= part.end) break;
    cursor.seek_offset(begin);
  }
  return no_round;
}

DomainSource::DomainSource(const access::FileAccess& access, const policy::Domains& domains, int domain)
    : access_(&access),
      domains_(&domains),
      cursor_(access.pattern),
      domain_(domain),
      shift_(access.pattern.shift()) {
  end_ = access.span.end();
  cursor_.seek_offset(access.span.offset);
  find_next_round();
}

std::int64_t DomainSource::next_bytes() const noexcept {
  if (next_round_ == no_round) return 0;
  core::Cursor end = cursor_;
  end.seek_offset(std::min(domains_->window(domain_, next_round_).end(), end_));
  return end.stream() - cursor_.stream();
}

bool DomainSource::describe(Description& out) {
  MessageHeader& h = out.header;
  h = {};
  h.round = next_round_;
  const core::Extent window = domains_->window(domain_, next_round_);
  const std::int64_t limit = std::min(window.end(), end_);
  out.stream_begin = cursor_.stream() - access_->begin;
  bool good = true;
  try {
    const access::Reserve::Abstain can_be_left_out;
    describe_pieces(out, limit);
  } catch (const std::bad_alloc&) {
    good = false;
    h.leave_out();
    cursor_.seek_offset(limit);
  }
  find_next_round();
  h.next_round = next_round_;
  return good;
}

void DomainSource::describe_pieces(Description& out, std::int64_t limit) {
  MessageHeader& h = out.header;
  h.span.offset = cursor_.offset();
  // A piece cut at a window's edge, or at the access's first or last byte, may not be a multiple of the unit.
  const auto origin = static_cast<std::uint64_t>(access_->pattern.low());
  h.shift = std::min(shift_, core::shift_of((static_cast<std::uint64_t>(h.span.offset) - origin) |
                                            (static_cast<std::uint64_t>(limit) - origin)));
  std::array<core::Run, 64> batch;
  constexpr std::size_t room = batch.size() * core::packed_item_max_bytes + core::varint_slack;
  std::vector<std::uint8_t>& code = out.extents;
  std::size_t used = 0;
  std::int64_t at = h.span.offset;
  while (const std::size_t n = cursor_.next_batch(limit, batch)) {
    if (used + room > code.size()) code.resize(2 * code.size() + room);
    core::PackedWriter writer(code.data() + used, {h.shift, false}, at);
    core::TilingSum sum;
    for (std::size_t i = 0; i < n; ++i) {
      writer.put(batch[i]);
      sum.add(batch[i]);
      h.pieces += batch[i].count;
    }
    h.sum.add(sum);
    h.items += static_cast<std::int64_t>(n);
    used = static_cast<std::size_t>(writer.position() - code.data());
    at = writer.at();
  }
  h.span.length = at - h.span.offset;
  h.extents_bytes = static_cast<std::int64_t>(used) + core::varint_slack;
}

}  // namespace collio::transport
