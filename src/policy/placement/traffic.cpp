// See traffic.hpp.
#include "policy/placement/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/index.hpp"
#include "policy/placement/place_domains.hpp"

namespace collio::policy {

namespace {

/// Bytes that one node serves.
struct Served {
  /// node
  int home = 0;
  /// of these bytes alone, where nodes are grouped
  int domain = 0;
  double bytes = 0;
};

int ranks_of_group(const MessageNodes& passed, int node) {
  const int size = passed.layers.nodes_per_group, first = passed.layers.group_of(node) * size;
  const int end = std::min(first + size, static_cast<int>(passed.machine.nodes.size()));
  int ranks = 0;
  for (int n = first; n < end; ++n) ranks += passed.machine.nodes[core::at(n)].ranks;
  return ranks;
}

using Visit = std::function<void(const machine::Flow&)>;

/// What a write sends to where these bytes are served. `groups`: by way of the nodes where pieces of a group
/// meet.
void flows_to(const Served& served, const MessageNodes& passed, bool groups, const Visit& visit) {
  const double bytes_per_rank = served.bytes / passed.machine.ranks();
  const Layers& layers = passed.layers;
  for (int node = 0; node < static_cast<int>(passed.machine.nodes.size()); ++node) {
    if (node == served.home || served.bytes == 0) continue;
    const int hop = groups ? layers.next_hop(node, served.domain, served.home) : served.home;
    // Where a group's pieces meet, those of all its nodes go on.
    const bool meet = groups && hop == served.home && layers.group_of(node) != layers.group_of(served.home);
    const int ranks = meet ? ranks_of_group(passed, node) : passed.machine.nodes[core::at(node)].ranks;
    visit({node, hop, std::llround(bytes_per_rank * ranks)});
  }
}

/// Bytes of the span in domain `i`; stripes that are dealt are taken to be equally many for all.
std::int64_t share_of(const Domains& d, int i, const core::Extent& span) {
  if (d.dealt()) return span.length / d.count;
  const core::Extent domain = d.domain(i);
  return std::max<std::int64_t>(0, std::min(domain.end(), span.end()) - std::max(domain.offset, span.offset));
}

}  // namespace

void ServedBytes::add(const Plan& plan, std::int64_t bytes, const std::vector<int>& homes,
                      const Layers& layers) {
  const bool in_layers = plan.path == Path::two_layer;
  if ((!in_layers && plan.path != Path::two_phase) || plan.span.length == 0) return;
  if (plan.placed && plan.placed->traffic) {
    if (last_ != plan.placed) {
      add_last(placed_);
      last_ = plan.placed;
      last_calls_ = 0;
    }
    ++last_calls_;
    return;
  }
  const bool reads = plan.direction == Direction::read, groups = in_layers && layers.nodes_per_group > 1;
  std::vector<double>& by_node = by_node_[reads];
  const double density = static_cast<double>(bytes) / static_cast<double>(plan.span.length);
  for (int i = 0; i < plan.domains.count; ++i) {
    const double share = density * static_cast<double>(share_of(plan.domains, i, plan.span));
    const int home = homes[core::at(i)];
    if (groups) {
      by_domain_[reads][{i, home}] += share;
    } else {
      if (by_node.size() <= core::at(home)) by_node.resize(core::at(home) + 1, 0);
      by_node[core::at(home)] += share;
    }
  }
}

void ServedBytes::add_last(std::vector<std::int64_t>& numbers) const {
  if (!last_) return;
  const std::vector<std::int64_t>& of_call = *last_->traffic;
  numbers.resize(of_call.size(), 0);
  for (std::size_t i = 0; i < of_call.size(); ++i) numbers[i] += last_calls_ * of_call[i];
}

bool ServedBytes::empty() const noexcept {
  for (const bool reads : {false, true})
    if (!by_node_[reads].empty() || !by_domain_[reads].empty()) return false;
  return !last_;
}

void ServedBytes::add_to(machine::NodeTraffic& traffic, const MessageNodes& passed) const {
  add_last(traffic.numbers());
  for (std::size_t i = 0; i < placed_.size(); ++i) traffic.numbers()[i] += placed_[i];
  const Visit visit = [&](const machine::Flow& flow) { traffic.add(flow); };
  const Visit visit_reversed = [&](const machine::Flow& flow) { visit({flow.to, flow.from, flow.bytes}); };
  for (const bool reads : {false, true}) {
    const Visit& direction = reads ? visit_reversed : visit;
    for (std::size_t node = 0; node < by_node_[reads].size(); ++node)
      flows_to({.home = static_cast<int>(node), .bytes = by_node_[reads][node]}, passed, false, direction);
    for (const auto& [where, bytes] : by_domain_[reads])
      flows_to({.home = where.second, .domain = where.first, .bytes = bytes}, passed, true, direction);
  }
}

}  // namespace collio::policy
