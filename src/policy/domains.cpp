// See domains.hpp.
#include "policy/domains.hpp"

namespace collio::policy {

namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Domains cut_evenly(const CutRequest& r) noexcept {
  Domains d;
  d.low = r.span.offset / r.alignment_bytes * r.alignment_bytes;
  d.high = r.span.end();
  const std::int64_t length = d.high - d.low;
  if (r.span.length == 0) return d;
  d.domain_bytes = divide_up(divide_up(length, r.aggregators), r.alignment_bytes) * r.alignment_bytes;
  d.count = static_cast<int>(divide_up(length, d.domain_bytes));
  // Most bytes of a window: a multiple of the alignment, where one fits.
  const std::int64_t blocks = r.window_bytes / r.alignment_bytes;
  const std::int64_t most = blocks > 0 ? blocks * r.alignment_bytes : r.window_bytes;
  const std::int64_t even = divide_up(d.domain_bytes, divide_up(d.domain_bytes, most));
  d.window_bytes = std::min(most, divide_up(even, r.alignment_bytes) * r.alignment_bytes);
  return d;
}

}  // namespace collio::policy
