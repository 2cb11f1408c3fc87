// The plan: everything a collective call will do, decided before a byte moves.
//
// Made from the digest, the machine and the hints alone, so every rank makes the same one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "policy/domains/domains.hpp"
#include "policy/hints/hints.hpp"
#include "policy/plan/digest.hpp"
#include "policy/plan/overlap.hpp"
#include "policy/plan/reason.hpp"
#include "policy/plan/transfer.hpp"

namespace collio::policy {

enum class Direction { write, read };

/// Most windows in the shared memory of a node at a time.
inline constexpr int most_node_slots = 64;
/// Most slots that these are divided into, and a window is.
inline constexpr int most_slots = 1024, most_window_slots = 64;

struct PlacedDomains;  // policy/placement/place_domains

/// How many messages come first for each domain whose mail a rank receives, in their order.
struct FirstMail {
  /// by the first call that goes by the plan; on all ranks
  bool counted = false;
  std::vector<int> messages;
};

/// A way to move a call's bytes.
struct Way {
  Path path = Path::two_phase;
  Transfer transfer = Transfer::two_sided;
  [[nodiscard]] bool operator==(const Way&) const noexcept = default;
};

struct Plan {
  Direction direction = Direction::write;
  Path path = Path::two_phase;
  Reason reason;
  Domains domains;
  Holes holes = Holes::automatic;
  /// two_phase: of an aggregator's rounds
  Overlap overlap;
  /// two_phase
  Transfers transfers;
  /// of domains and windows
  std::int64_t alignment_bytes = 1;
  /// first to last byte of the call
  core::Extent span;
  /// two_layer: only aggregators read and write the file, else any rank
  bool few_servers = false;
  /// two_layer: windows in a node's shared memory; an even number
  int node_slots = 0;
  /// two_layer: slots that a window takes, unless its pieces are packed
  int window_slots = 1;
  /// two_layer: windows have all of a node's memory, not a part to begin with
  bool whole_memory = true;
  /// two_layer: pieces also travel between nodes
  bool several_nodes = false;
  /// two_layer: fewer bytes are accessed than the span has
  bool holes_sure = false;
  /// two_layer: slots keep which bytes are filled (or wanted)
  bool masks = false;
  /// two_layer write: also those of windows served on their node, for there may be holes
  bool home_masks = false;
  /// two_layer write: known to tile every window, as an earlier call did
  bool tiled = false;
  /// every piece end is a multiple of 2^mask_shift, relative to its window
  int mask_shift = 0;
  /// which aggregator serves which domain; null: domain i by aggregator i
  std::shared_ptr<const PlacedDomains> placed;
  /// two_layer: of this rank; later calls of the pattern go on with it
  std::shared_ptr<FirstMail> mail;
  double estimate_two_layer_s = 0;
  /// beyond the storage time all paths share
  double estimate_two_phase_s = 0;
  double estimate_independent_s = 0;

  [[nodiscard]] double estimate_s(Path by) const noexcept {
    if (by == Path::two_layer) return estimate_two_layer_s;
    return by == Path::independent ? estimate_independent_s : estimate_two_phase_s;
  }
  [[nodiscard]] Way way() const noexcept { return {path, transfers.by}; }
  /// The same plan serves the same pieces `distance` bytes further on.
  [[nodiscard]] bool serves_at(std::int64_t distance) const noexcept {
    return path == Path::independent || distance % alignment_bytes == 0;  // without domains
  }
  void shift(std::int64_t distance) noexcept {
    domains.low += distance;
    domains.high += distance;
    span.offset += distance;
  }
};

/// What a file turned out not to have. Else it has it, or no call has needed it yet.
struct Lacking {
  /// MPI windows for the aggregators' buffers
  NoWindow windows = NoWindow::no;
  /// of a window, by MPI
  std::string refusal;
  /// see Lack
  bool handles = false;
  bool node_memory = false;
  [[nodiscard]] bool anything() const noexcept { return windows != NoWindow::no || handles || node_memory; }
};

struct PlanRequest {
  Direction direction = Direction::write;
  Digest digest;
  int aggregators = 1;
  /// two_layer write: pieces may overlap and leave holes
  bool with_masks = false;
  /// an earlier call of the same pieces tiled every window
  bool tiled = false;
  /// found out by trials, or on trial; else hints and estimates decide
  std::optional<Way> way = {};
  /// the plan does without it
  Lacking lacking = {};
};

/// Whether only aggregators read and write the file in two_layer calls: asked for by hint, or for the sake of
/// a file system behind a network. Else any rank does. Pure.
[[nodiscard]] bool few_servers(const machine::Machine& machine, const Hints& hints) noexcept;

/// Bytes of a slot of a node's shared memory. Pure.
[[nodiscard]] std::int64_t slot_bytes(const Plan& plan) noexcept;

/// Bytes of windows in a node's shared memory. Pure.
[[nodiscard]] std::int64_t node_memory_bytes(const machine::Machine& machine, const Hints& hints);

/// A plan that needs nothing of what is lacking. Pure. O(nodes).
[[nodiscard]] Plan make_plan(const PlanRequest& request, const machine::Machine& machine, const Hints& hints);

/// Gives a plan other domains, of no longer windows. Pure.
void recut(Plan& plan, Domains domains);

/// The plan to repeat a write whose pieces turned out to overlap and leave holes: `again`, made for that,
/// with the domains of the first attempt. Pure.
[[nodiscard]] Plan with_masks(Plan again, const Plan& first);

/// The same number for plans with the same reasons; estimates count by what follows from them. Pure.
[[nodiscard]] std::uint64_t reason_key(const Plan& plan) noexcept;
/// Why the plan is as it is, for the report: "2097152 pieces of 8 B on average; ...". Pure.
[[nodiscard]] std::string reason_text(const Plan& plan);

}  // namespace collio::policy
