// See clocks.hpp.
#include "simulate/clocks.hpp"

#include <algorithm>

namespace collio::simulate {
namespace {

/// of one direction of a link
constexpr std::size_t most_periods = 128;

}  // namespace

double BusyTimes::end_of(double from_s, double busy_s) const {
  double end_s = from_s + busy_s;
  auto behind = std::partition_point(periods_.begin(), periods_.end(),
                                     [&](const Period& period) { return period.end_s < from_s; });
  for (; behind != periods_.end() && behind->begin_s < end_s; ++behind)
    end_s += behind->end_s - std::max(behind->begin_s, from_s);
  return end_s;
}

double BusyTimes::take(double from_s, double busy_s) {
  const auto first = std::partition_point(periods_.begin(), periods_.end(),
                                          [&](const Period& period) { return period.end_s < from_s; });
  double end_s = from_s + busy_s;
  auto behind = first;
  for (; behind != periods_.end() && behind->begin_s < end_s; ++behind)
    end_s += behind->end_s - std::max(behind->begin_s, from_s);
  Period period{from_s, end_s};
  if (behind != first) period.begin_s = std::min(from_s, first->begin_s);
  if (behind != periods_.end() && behind->begin_s == end_s) period.end_s = (behind++)->end_s;
  if (behind != first) {
    *first = period;
    periods_.erase(first + 1, behind);
  } else {
    periods_.insert(first, period);
    if (periods_.size() > most_periods) {
      periods_[1].begin_s = periods_[0].begin_s;
      periods_.erase(periods_.begin());
    }
  }
  return end_s;
}

LinkClocks::LinkClocks(const machine::Topology& topology, ProcessorClocks* processors,
                       double carry_bytes_per_s)
    : topology_(topology),
      processors_(processors),
      carry_s_(processors && processors->shared() && carry_bytes_per_s > 0 ? 1 / carry_bytes_per_s : 0),
      times_(2 * static_cast<std::size_t>(topology.links())),
      busy_s_(times_.size()),
      bytes_(times_.size()) {}

double LinkClocks::send(const machine::Trip& trip, std::int64_t bytes, double ready_s) {
  double head_s = ready_s, last_s = ready_s;
  topology_.route(trip, [&](const machine::Hop& hop) {
    const machine::Cable cable = topology_.cable(hop.link);
    const std::size_t i = hop.index();
    const double busy_s = static_cast<double>(bytes) / cable.rate_bytes_per_s;
    const double end_s = times_[i].take(head_s, busy_s);
    busy_s_[i] += busy_s;
    bytes_[i] += bytes;
    // Sent on at this moment, no byte has to wait for one that is still to come.
    head_s = end_s - busy_s + cable.latency_s;
    last_s = std::max(last_s, end_s) + cable.latency_s;
  });
  if (carry_s_ <= 0) return last_s;
  return std::max(last_s, processors_->work(ready_s, static_cast<double>(bytes) * carry_s_));
}

machine::BusiestLink LinkClocks::busiest() const {
  const auto most =
      static_cast<std::size_t>(std::max_element(busy_s_.begin(), busy_s_.end()) - busy_s_.begin());
  if (busy_s_.empty()) return {};
  return {{static_cast<int>(most / 2), most % 2 == 0}, bytes_[most], busy_s_[most]};
}

double ProcessorClocks::work(double ready_s, double work_s) {
  if (times_.empty() || work_s <= 0) return ready_s + work_s;
  const auto soonest = std::ranges::min_element(
      times_, {}, [&](const BusyTimes& times) { return times.end_of(ready_s, work_s); });
  busy_s_ += work_s;
  return soonest->take(ready_s, work_s);
}

double receive_burst(std::vector<Arrival>& arrivals, const NodeCosts& costs, double from_s) {
  std::sort(arrivals.begin(), arrivals.end(),
            [](const Arrival& a, const Arrival& b) { return a.at_s < b.at_s; });
  double time_s = from_s;
  auto expected = static_cast<double>(arrivals.size());
  for (const Arrival& arrival : arrivals) {
    time_s = std::max(time_s, arrival.at_s) + costs.message_s + costs.match_s * expected + arrival.work_s;
    expected -= 1;
  }
  return time_s;
}

TargetClocks::TargetClocks(const StorageCosts& costs, int nodes)
    : costs_(costs),
      serves_(static_cast<std::size_t>(costs.targets)),
      moves_(serves_.size()),
      busy_s_(serves_.size()),
      node_free_s_(static_cast<std::size_t>(nodes)),
      locks_(serves_.size()) {}

double TargetClocks::locked_s(int node, const core::Extent& bytes, double ready_s) {
  const std::int64_t stripe = bytes.offset / costs_.stripe_bytes;
  const auto target = static_cast<std::size_t>(stripe % costs_.targets);
  const core::Extent of_object{
      stripe / costs_.targets * costs_.stripe_bytes + bytes.offset % costs_.stripe_bytes, bytes.length};
  const int cut = locks_[target].write(node, of_object);
  locks_moved_ += cut;
  return cut > 0 ? moves_[target].take(ready_s, cut * costs_.lock_s) : ready_s;
}

double TargetClocks::access(int node, const core::Extent& extent, bool reads, double ready_s) {
  if (extent.length <= 0) return ready_s;
  const auto bytes = static_cast<double>(extent.length);
  double& node_free_s = node_free_s_[static_cast<std::size_t>(node)];
  const double sent_s = std::max(ready_s, node_free_s);
  node_free_s = sent_s + bytes / costs_.node_bytes_per_s;
  double done_s = std::max(node_free_s, sent_s + bytes / costs_.writer_bytes_per_s);
  const std::int64_t stripe_bytes = costs_.stripe_bytes;
  for (std::int64_t stripe = extent.offset / stripe_bytes; stripe * stripe_bytes < extent.end(); ++stripe) {
    const std::int64_t low = std::max(extent.offset, stripe * stripe_bytes),
                       high = std::min(extent.end(), (stripe + 1) * stripe_bytes);
    const auto target = static_cast<std::size_t>(stripe % costs_.targets);
    const double begin_s = reads ? sent_s : locked_s(node, {low, high - low}, sent_s);
    const double busy_s = costs_.target_call_s + static_cast<double>(high - low) / costs_.target_bytes_per_s;
    busy_s_[target] += busy_s;
    done_s = std::max(done_s, serves_[target].take(begin_s, busy_s));
  }
  return done_s + costs_.call_s;
}

int TargetClocks::busiest() const {
  return static_cast<int>(std::max_element(busy_s_.begin(), busy_s_.end()) - busy_s_.begin());
}

}  // namespace collio::simulate
