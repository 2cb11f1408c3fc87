// See emulated_nodes.hpp.
#include "machine/emulated_nodes.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "core/index.hpp"

namespace collio::machine {

namespace {

constexpr std::string_view dealt = "cyclic:";

std::optional<int> number(std::string_view text, int least) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least) return {};
  return value;
}

std::optional<std::vector<int>> list(std::string_view text) {
  std::vector<int> nodes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto node = number(text.substr(begin, end - begin), 0);
    if (!node) return {};
    nodes.push_back(*node);
    begin = end + 1;
  }
  return nodes;
}

}  // namespace

int EmulatedNodes::part_of(int rank) const noexcept {
  if (cycle > 0) return rank % cycle;
  return listed.empty() ? 0 : listed[core::at(rank) % listed.size()];
}

int EmulatedNodes::node_of(int rank) const noexcept {
  return most_ranks > 0 ? rank / most_ranks : part_of(rank);
}

int EmulatedNodes::nodes(int ranks) const {
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(node_of(rank));
  std::ranges::sort(nodes);
  return static_cast<int>(std::ranges::unique(nodes).begin() - nodes.begin());
}

core::Result<EmulatedNodes> read_emulated_nodes(std::string_view text) {
  if (text.empty()) return EmulatedNodes{};
  if (text.starts_with(dealt)) {
    if (const auto cycle = number(text.substr(dealt.size()), 1)) return EmulatedNodes{.cycle = *cycle};
  } else if (text.find(',') != std::string_view::npos) {
    if (auto nodes = list(text)) return EmulatedNodes{.listed = std::move(*nodes)};
  } else if (const auto most = number(text, 1)) {
    return EmulatedNodes{.most_ranks = *most};
  }
  return core::Error{core::ErrorClass::argument,
                     "COLLIO_RANKS_PER_NODE is \"" + std::string(text) +
                         "\"; allowed: the most ranks of a node (3), cyclic:NODES, or the node of each rank "
                         "(0,1,1,0,2)"};
}

}  // namespace collio::machine
