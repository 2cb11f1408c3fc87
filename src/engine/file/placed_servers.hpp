// The ranks that serve the domains of a plan, where these are placed.
#pragma once

#include <memory>
#include <vector>

#include "engine/file/servers.hpp"
#include "policy/placement/place_domains.hpp"

namespace collio::engine {

class Buffers;

/// Of the plans of an open file. Ranks on spare seats open the file when a plan first needs them.
class PlacedServers {
 public:
  /// Of a call. Where a rank cannot open the file the aggregators serve in order, with a warning. Collective.
  [[nodiscard]] Servers of(const Buffers& buffers, const policy::Plan& plan);
  /// This rank is on a spare seat of some plan, or receives for one. Not collective.
  [[nodiscard]] bool serves() const noexcept { return serves_; }

 private:
  /// A placement with spare seats, as long as a plan has it.
  struct Known {
    std::weak_ptr<const policy::PlacedDomains> placed;
    /// all its ranks have the file open
    bool open = false;
  };
  /// Whether all ranks have it open. Collective where the placement is new.
  [[nodiscard]] bool opened(const Buffers& buffers, const policy::Plan& plan, const Servers& servers);
  /// the same on all ranks
  std::vector<Known> known_;
  /// of the last call with spare seats, and its placement
  Servers last_;
  std::weak_ptr<const policy::PlacedDomains> last_placed_;
  bool serves_ = false;
};

}  // namespace collio::engine
