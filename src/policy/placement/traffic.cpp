// See traffic.hpp.
#include "policy/placement/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/index.hpp"
#include "policy/placement/place_domains.hpp"

namespace collio::policy {

namespace {

/// Bytes that one node, or one domain, serves.
struct Served {
  /// node
  int home = 0;
  /// decides where messages pass, when nodes are grouped
  int domain = 0;
  double bytes = 0;
};

/// Without groups of nodes all domains of a node are alike.
std::vector<Served> by_node(const std::vector<double>& by_domain, const Service& service) {
  std::vector<Served> served(service.machine.nodes.size());
  for (std::size_t node = 0; node < served.size(); ++node) served[node].home = static_cast<int>(node);
  for (std::size_t d = 0; d < by_domain.size(); ++d) served[core::at(service.homes[d])].bytes += by_domain[d];
  return served;
}

std::vector<Served> one_by_one(const std::vector<double>& by_domain, const Service& service) {
  std::vector<Served> served;
  for (std::size_t d = 0; d < by_domain.size(); ++d)
    served.push_back({service.homes[d], static_cast<int>(d), by_domain[d]});
  return served;
}

int ranks_of_group(const Service& service, int node) {
  const int size = service.layers.nodes_per_group, first = service.layers.group_of(node) * size;
  const int end = std::min(first + size, static_cast<int>(service.machine.nodes.size()));
  int ranks = 0;
  for (int n = first; n < end; ++n) ranks += service.machine.nodes[core::at(n)].ranks;
  return ranks;
}

using Visit = std::function<void(const machine::Flow&)>;

/// What a write sends to where these bytes are served. `groups`: by way of the nodes where pieces of a group
/// meet.
void flows_to(const Served& served, const Service& service, bool groups, const Visit& visit) {
  const double bytes_per_rank = served.bytes / service.machine.ranks();
  const Layers& layers = service.layers;
  for (int node = 0; node < static_cast<int>(service.machine.nodes.size()); ++node) {
    if (node == served.home || served.bytes == 0) continue;
    const int hop = groups ? layers.next_hop(node, served.domain, served.home) : served.home;
    // Where a group's pieces meet, those of all its nodes go on.
    const bool meet = groups && hop == served.home && layers.group_of(node) != layers.group_of(served.home);
    const int ranks = meet ? ranks_of_group(service, node) : service.machine.nodes[core::at(node)].ranks;
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

void ServedBytes::add(const Plan& plan, std::int64_t bytes) {
  const bool layers = plan.path == Path::two_layer;
  if ((!layers && plan.path != Path::two_phase) || plan.span.length == 0) return;
  if (plan.placed && plan.placed->traffic) {
    if (last_ != plan.placed) {
      add_last(placed_);
      last_ = plan.placed;
      last_calls_ = 0;
    }
    ++last_calls_;
    return;
  }
  std::vector<double>& served = by_domain_[plan.direction == Direction::read][layers];
  const Domains& d = plan.domains;
  const auto server_of = [&](int domain) {
    const bool in_order = !plan.placed || plan.placed->seat_of_domain.empty();
    return static_cast<std::size_t>(in_order ? domain : plan.placed->seat_of_domain[core::at(domain)]);
  };
  const double density = static_cast<double>(bytes) / static_cast<double>(plan.span.length);
  for (int i = 0; i < d.count; ++i) {
    if (served.size() <= server_of(i)) served.resize(server_of(i) + 1, 0);
    served[server_of(i)] += density * static_cast<double>(share_of(d, i, plan.span));
  }
}

void ServedBytes::add_last(std::vector<std::int64_t>& numbers) const {
  if (!last_) return;
  const std::vector<std::int64_t>& of_call = *last_->traffic;
  numbers.resize(of_call.size(), 0);
  for (std::size_t i = 0; i < of_call.size(); ++i) numbers[i] += last_calls_ * of_call[i];
}

bool ServedBytes::empty() const noexcept {
  for (const auto& of_direction : by_domain_)
    for (const std::vector<double>& served : of_direction)
      if (!served.empty()) return false;
  return !last_;
}

void ServedBytes::add_to(machine::NodeTraffic& traffic, const Service& service) const {
  add_last(traffic.numbers());
  for (std::size_t i = 0; i < placed_.size(); ++i) traffic.numbers()[i] += placed_[i];
  const Visit visit = [&](const machine::Flow& flow) { traffic.add(flow); };
  const Visit visit_reversed = [&](const machine::Flow& flow) { visit({flow.to, flow.from, flow.bytes}); };
  for (const bool reads : {false, true})
    for (const bool layers : {false, true}) {
      const std::vector<double>& by_domain = by_domain_[reads][layers];
      const bool groups = layers && service.layers.nodes_per_group > 1;
      for (const Served& served : groups ? one_by_one(by_domain, service) : by_node(by_domain, service))
        flows_to(served, service, groups, reads ? visit_reversed : visit);
    }
}

}  // namespace collio::policy
