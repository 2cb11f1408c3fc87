// See node_traffic.hpp.
#include "machine/node_traffic.hpp"

#include <numeric>

namespace collio::machine {

NodeTraffic::NodeTraffic(const Machine& machine) : machine_(&machine), nodes_(machine.nodes.size()) {
  const std::size_t links = machine.network ? machine.network->links.size() : 0;
  numbers_.assign(links_at() + 2 * links + 1, 0);
}

void NodeTraffic::add(const Flow& flow) {
  if (flow.from == flow.to || flow.bytes == 0) return;
  const auto from = static_cast<std::size_t>(flow.from), to = static_cast<std::size_t>(flow.to);
  numbers_[from] += flow.bytes;
  numbers_[nodes_ + to] += flow.bytes;
  if (has_matrix()) numbers_[matrix_at() + from * nodes_ + to] += flow.bytes;
  if (!machine_->network) return;
  route(*machine_->network, {machine_->nodes[from].network_node, machine_->nodes[to].network_node},
        [&](const Hop& hop) {
          numbers_[links_at() + hop.index()] += flow.bytes;
          numbers_.back() += flow.bytes;
        });
}

std::int64_t NodeTraffic::bytes() const noexcept {
  return std::accumulate(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(nodes_),
                         std::int64_t{0});
}

std::vector<Flow> NodeTraffic::flows() const {
  std::vector<Flow> flows;
  for (std::size_t i = 0; has_matrix() && i < nodes_ * nodes_; ++i)
    if (const std::int64_t bytes = numbers_[matrix_at() + i]; bytes != 0)
      flows.push_back({static_cast<int>(i / nodes_), static_cast<int>(i % nodes_), bytes});
  return flows;
}

std::span<const std::int64_t> NodeTraffic::link_bytes() const noexcept {
  return std::span(numbers_).subspan(links_at(), numbers_.size() - 1 - links_at());
}

}  // namespace collio::machine
