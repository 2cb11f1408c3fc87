// See demand.hpp.
#include "simulate/demand.hpp"

#include <algorithm>
#include <utility>

#include "core/index.hpp"

namespace collio::simulate {

namespace {

using core::at;

policy::ContiguousDomains bounds_of(const policy::Domains& even) {
  policy::ContiguousDomains cut{{even.low}};
  for (int d = 0; d < even.count; ++d) cut.bounds.push_back(even.domain(d).end());
  return cut;
}

WindowPart window_in(const policy::ContiguousDomains& cut, std::int64_t window_bytes, std::int64_t offset) {
  const int domain = cut.owner(offset);
  const core::Extent whole = cut.domain(domain);
  const std::int64_t round = (offset - whole.offset) / window_bytes;
  return {domain, round, std::min(whole.end(), whole.offset + (round + 1) * window_bytes)};
}

/// A window has as many of a member's stripes as fit; a stripe that is longer has several windows. Rounds
/// begin with the first cycle of stripes that the span touches.
WindowPart window_in(const policy::CyclicDomains& cut, std::int64_t window_bytes, std::int64_t offset) {
  const int domain = cut.owner(offset);
  const std::int64_t stripe = cut.stripe_bytes, cycle = cut.members * stripe;
  const std::int64_t group_low = cut.group_low + domain / cut.members * cut.group_bytes;
  const std::int64_t begin = std::max(group_low, cut.span.offset / cycle * cycle);
  const std::int64_t turn = (offset - begin) / cycle, inside = offset % stripe, stripe_low = offset - inside;
  if (stripe <= window_bytes) return {domain, turn / (window_bytes / stripe), stripe_low + stripe};
  const std::int64_t windows = (stripe + window_bytes - 1) / window_bytes, part = inside / window_bytes;
  return {domain, turn * windows + part, stripe_low + std::min(stripe, (part + 1) * window_bytes)};
}

/// Who was the last to have bytes of a window: tells whether someone has been counted for it.
class LastSeen {
 public:
  explicit LastSeen(int domains) : by_domain_(at(domains)) {}

  /// True the first time that `who` comes to the window, if nobody comes back after another one.
  bool first_time(const WindowPart& window, int who) {
    std::vector<int>& rounds = by_domain_[at(window.domain)];
    if (rounds.size() <= at(window.round)) rounds.resize(at(window.round) + 1, -1);
    return std::exchange(rounds[at(window.round)], who) != who;
  }

 private:
  /// [domain][round]
  std::vector<std::vector<int>> by_domain_;
};

}  // namespace

CutFile::CutFile(const policy::Domains& even) : cut_(bounds_of(even)), window_bytes_(even.window_bytes) {}

int CutFile::domains() const noexcept {
  return std::visit([](const auto& cut) { return cut.count(); }, cut_);
}

WindowPart CutFile::window(std::int64_t offset) const noexcept {
  return std::visit([&](const auto& cut) { return window_in(cut, window_bytes_, offset); }, cut_);
}

Demand demand_of(const Job& job, const CutFile& cut) {
  const core::Matrix<std::int64_t>::Shape shape{job.nodes(), cut.domains()};
  Demand demand{core::Matrix<std::int64_t>(shape), core::Matrix<std::int64_t>(shape),
                core::Matrix<std::int64_t>(shape)};
  LastSeen ranks(cut.domains()), nodes(cut.domains());
  for (int rank = 0; rank < job.ranks; ++rank) {
    const int node = job.node_of(rank);
    for (const core::Pattern& pattern : job.access(rank))
      walk(cut, pattern, [&](const WindowPart& window, std::int64_t bytes) {
        demand.bytes(node, window.domain) += bytes;
        demand.rank_messages(node, window.domain) += ranks.first_time(window, rank);
        demand.node_messages(node, window.domain) += nodes.first_time(window, node);
        demand.rounds = std::max(demand.rounds, window.round + 1);
      });
  }
  return demand;
}

policy::Histogram histogram_of(const Job& job, int regions) {
  const std::int64_t length = std::max<std::int64_t>(1, (job.span.length + regions - 1) / regions);
  policy::ContiguousDomains cut{{job.span.offset}};
  for (int i = 1; i <= regions; ++i) cut.bounds.push_back(job.span.offset + i * length);
  policy::Histogram histogram{job.span.offset, length, std::vector<std::int64_t>(at(regions), 0)};
  const CutFile in_regions(std::move(cut), length);
  for (int rank = 0; rank < job.ranks; ++rank)
    for (const core::Pattern& pattern : job.access(rank))
      walk(in_regions, pattern, [&](const WindowPart& window, std::int64_t bytes) {
        histogram.bytes[at(window.domain)] += bytes;
      });
  return histogram;
}

}  // namespace collio::simulate
