// What the steps of two layers take on a node: its ranks copy pieces, one of them makes or takes a message.
#pragma once

#include <algorithm>

#include "core/index.hpp"
#include "simulate/call.hpp"

namespace collio::simulate {

/// Who has what: by node for copies, by team for messages.
struct NodeShares {
  Shares nodes, teams;
  /// of a team's pieces, when joined
  double kept = 1;
  /// with bytes of each domain
  std::vector<std::vector<int>> teams_of = parties_of(teams);

  /// Whether a team has a message for a window: the first of a domain also goes out if it has pieces later.
  [[nodiscard]] bool due(int domain, std::int64_t round, const Share& share) const {
    return share.bytes > 0 ||
           (round == 0 && std::ranges::binary_search(teams_of[core::at(domain)], share.party));
  }
};

struct TwoLayerCosts {
  /// of a message; a described piece, packed
  static constexpr std::int64_t header_bytes = 64, piece_bytes = 2;

  const CallSetting& setting;
  /// of a team's pieces, when joined
  double kept = 1;

  /// All ranks of a node copy their pieces of a window.
  [[nodiscard]] double copy_s(int node, const Share& share) const {
    const NodeCosts& c = setting.model.node;
    const auto bytes = static_cast<double>(share.bytes), pieces = static_cast<double>(share.pieces);
    return std::max((bytes / c.place_bytes_per_s + pieces * c.place_piece_s) / setting.parallel(node),
                    2 * bytes / c.memory_bytes_per_s);
  }
  /// One rank makes a message of a window's pieces. Packed ones are described already.
  [[nodiscard]] double make_s(int node, const Share& share, bool packed) const {
    return packed ? carry_s(node, share) : merge_s(node, share, packed);
  }
  /// One rank places a message.
  [[nodiscard]] double merge_s(int node, const Share& share, bool packed) const {
    return carry_s(node, share) +
           setting.slowdown(node) * runs(share, packed) * setting.model.node.merge_piece_s;
  }
  /// All pieces that a read wants are marked.
  [[nodiscard]] double mark_s(int node, const Share& share) const {
    return setting.slowdown(node) * static_cast<double>(share.pieces) * setting.model.node.merge_piece_s;
  }
  [[nodiscard]] double message_s(int node) const {
    return setting.slowdown(node) * setting.model.node.message_s;
  }
  /// A message without its data.
  [[nodiscard]] std::int64_t described_bytes(const Share& share, bool packed) const {
    return header_bytes + static_cast<std::int64_t>(runs(share, packed)) * piece_bytes;
  }

 private:
  [[nodiscard]] double carry_s(int node, const Share& share) const {
    return setting.slowdown(node) * static_cast<double>(share.bytes) / setting.model.node.copy_bytes_per_s;
  }
  /// Pieces of several ranks are joined where they are placed.
  [[nodiscard]] double runs(const Share& share, bool packed) const {
    return static_cast<double>(share.pieces) * (packed ? 1 : kept);
  }
};

}  // namespace collio::simulate
