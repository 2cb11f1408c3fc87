// See domain_source.hpp.
#include "exchange/domain_source.hpp"

#include <algorithm>

namespace collio::exchange {

DomainSource::DomainSource(const access::FileAccess& access, const policy::Domains& domains, int domain)
    : access_(&access), domains_(&domains), cursor_(access.pattern), domain_(domain), shift_(access.pattern.shift()) {
  const core::Extent d = domains.domain(domain);
  end_ = std::min(d.end(), access.span.end());
  cursor_.seek_offset(std::max(d.offset, access.span.offset));
  find_next_round();
}

void DomainSource::find_next_round() noexcept {
  const bool more = !cursor_.at_end() && cursor_.offset() < end_;
  next_round_ = more ? domains_->round_of(domain_, cursor_.offset()) : no_round;
}

std::int64_t DomainSource::next_bytes() const noexcept {
  if (next_round_ == no_round) return 0;
  core::Cursor end = cursor_;
  end.seek_offset(std::min(domains_->window(domain_, next_round_).end(), end_));
  return end.stream() - cursor_.stream();
}

void DomainSource::describe(Description& out) {
  MessageHeader& h = out.header;
  h = {};
  h.round = next_round_;
  const core::Extent window = domains_->window(domain_, next_round_);
  const std::int64_t limit = std::min(window.end(), end_);
  out.stream_begin = cursor_.stream() - access_->begin;
  h.span.offset = cursor_.offset();
  // A piece cut at a window's edge, or at the access's first or last byte, may not be a multiple of the unit.
  const auto origin = static_cast<std::uint64_t>(access_->pattern.low());
  h.shift = std::min(shift_, core::shift_of((static_cast<std::uint64_t>(h.span.offset) - origin) |
                                            (static_cast<std::uint64_t>(limit) - origin)));
  std::vector<std::uint8_t>& code = out.extents;
  constexpr std::size_t room = core::packed_item_max_bytes + core::varint_slack;
  if (code.size() < 4096) code.resize(4096);
  core::PackedWriter writer(code.data(), {h.shift, false}, h.span.offset);
  for (core::Run run; cursor_.next_below(limit, run);) {
    const auto used = static_cast<std::size_t>(writer.position() - code.data());
    if (used + room > code.size()) {
      code.resize(code.size() * 2);
      writer.move_to(code.data() + used);
    }
    writer.put(run);
    h.sum.add(run);
    h.pieces += run.count;
    ++h.items;
    h.span.length = run.end() - h.span.offset;
  }
  h.extents_bytes = writer.position() - code.data() + core::varint_slack;
  find_next_round();
  h.next_round = next_round_;
}

}  // namespace collio::exchange
