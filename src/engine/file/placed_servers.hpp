// The ranks that serve the domains of a plan, where these are placed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/file/servers.hpp"
#include "policy/placement/place_domains.hpp"

namespace collio::engine {

class Buffers;

/// What this rank has of an open file for new servers.
struct ServedFile {
  const Servers& in_order;
  const Place& place;
  int rank;
  const transport::Agreement& agreement;
  /// Opens it on this rank. Not collective.
  std::function<core::Error()> open;
};

/// Of the plans of an open file. Ranks on spare seats open the file when a plan first needs them.
class PlacedServers {
 public:
  using Placed = std::shared_ptr<const policy::PlacedDomains>;

  /// Of a call. Those of a placement with spare seats are kept as long as a plan has it. Collective where it
  /// is new, which sets `begun`: to an error where a rank cannot open the file or has no memory. Then the
  /// aggregators serve in order, without memory for this call alone. O(placements + domains), for a new one
  /// as Servers::in_order_of().
  [[nodiscard]] Servers of(const ServedFile& file, const Placed& placed, std::optional<core::Error>& begun);
  /// This rank is on a spare seat of some plan, or receives for one. Not collective.
  [[nodiscard]] bool serves() const noexcept { return serves_; }

 private:
  struct Known {
    std::weak_ptr<const policy::PlacedDomains> placed;
    Servers servers;
  };
  /// Collective.
  [[nodiscard]] core::Error add(const ServedFile& file, const Placed& placed);
  /// of the same placements on all ranks
  std::vector<Known> known_;
  bool serves_ = false;
};

/// The servers of a call on the file; where those of its plan cannot serve, with a warning. Collective, as
/// PlacedServers::of().
[[nodiscard]] Servers servers_of(const Buffers& buffers, const policy::Plan& plan);

}  // namespace collio::engine
