// reason_text() and reason_key(): see plan.hpp and reason.hpp.
#include <cstdio>
#include <functional>

#include "core/content_hash.hpp"
#include "policy/plan/plan.hpp"

namespace collio::policy {

namespace {

/// Two digits are enough for an estimate.
std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g s", seconds);
  return text;
}

std::string one_layer_text(const Plan& plan) {
  const Reason& r = plan.reason;
  switch (r.one_layer) {
    case OneLayer::no:
      return "";
    case OneLayer::no_node_memory:
      return std::string(lack_text(Lack::node_memory));
    case OneLayer::one_rank:
      return "there is one rank";
    case OneLayer::all_aggregate:
      return "every rank is a local aggregator";
    case OneLayer::sparse:
      return "less than 1/" + std::to_string(r.sparsest) + " of the bytes in the span are accessed";
    case OneLayer::holes_not_read:
      return "the pieces leave holes, which may not be read";
    case OneLayer::many_teams:
      return "a node has more than " + std::to_string(most_node_slots / 2) + " local aggregators";
    case OneLayer::slower:
      return "two layers would take " + seconds_text(plan.estimate_two_layer_s);
  }
  return "?";
}

std::string estimates_text(const Plan& plan) {
  const Reason& r = plan.reason;
  const bool two_layers =
      plan.path == Path::two_layer || (plan.path == Path::independent && r.one_layer == OneLayer::no);
  std::string text = std::to_string(r.pieces) + " pieces of " + std::to_string(r.piece_bytes) +
                     (r.equal_pieces ? " B; estimates: " : " B on average; estimates: ") +
                     seconds_text(plan.estimate_independent_s) + " if every rank accesses the file itself, " +
                     seconds_text(two_layers ? plan.estimate_two_layer_s : plan.estimate_two_phase_s) +
                     " through aggregators";
  if (plan.path == Path::two_layer) {
    text += "; local aggregators: " + std::to_string(r.local_aggregators);
    if (r.fewest_messages) text += ", one a node sends the fewest messages";
  }
  return text;
}

std::string path_text(const Plan& plan) {
  const Reason& r = plan.reason;
  const std::string ranks = std::to_string(r.ranks) + " ranks";
  const bool two_layers_wanted = r.one_layer != OneLayer::no && plan.path == Path::two_phase;
  const std::string one_layer = two_layers_wanted ? "; one layer: " + one_layer_text(plan) : "";
  const bool no_handles = r.lacking == Lack::handles;
  const std::string lacking(lack_text(r.lacking));
  switch (r.why) {
    case Why::no_bytes:
      return "no bytes to move";
    case Why::undescribed:
      return "collio cannot describe a datatype or view on " + ranks;
    case Why::unordered:
      return "file pieces of " + ranks + " are not in ascending order" +
             (no_handles ? ", and " + lacking : "");
    case Why::hint:
      return (no_handles ? "independent is asked for by hint, but " + lacking : "asked for by hint") +
             one_layer;
    case Why::trials:
      return "by trials" + one_layer;
    case Why::estimates:
      return estimates_text(plan) + one_layer;
  }
  return "?";
}

/// Where domains begin, if the file's layout had a say.
std::string cut_text(const Plan& plan) {
  const Reason& r = plan.reason;
  const std::string stripes = "; stripes of " + std::to_string(r.unit_bytes) + " B";
  const std::string over = r.targets > 0 ? " over " + std::to_string(r.targets) + " targets" : "";
  switch (r.cut) {
    case WhyCut::unknown_layout:
    case WhyCut::hint:
      return "";
    case WhyCut::dealt:
      return stripes + over + " are dealt to " + std::to_string(plan.domains.count) + " aggregators";
    case WhyCut::aligned:
      return stripes + over + ": domains begin at them";
    case WhyCut::short_stripes:
      return stripes + over + ": domains begin at them; too short to be dealt";
    case WhyCut::few_stripes:
      return stripes + over + ": domains begin at them; too few to be dealt";
    case WhyCut::uneven:
      return stripes + over + ": domains begin at them; no number of aggregators near " +
             std::to_string(plan.domains.count) + " fits the targets";
    case WhyCut::given_number:
      return stripes + over + ": domains begin at them; the " + std::to_string(plan.domains.count) +
             " aggregators of cb_nodes do not fit the targets";
    case WhyCut::long_stripes:
      return "; stripes too long for domains to begin at them";
  }
  return "?";
}

std::string longer_text(std::int64_t added_stripes) {
  if (added_stripes == 0) return "";
  return "; each domain is " + std::to_string(added_stripes) + (added_stripes == 1 ? " stripe" : " stripes") +
         " longer, to begin on more targets";
}

}  // namespace

std::string_view lack_text(Lack lack) noexcept {
  switch (lack) {
    case Lack::nothing:
      return "";
    case Lack::handles:
      return "ranks that do not aggregate cannot open the file";
    case Lack::node_memory:
      return "no shared memory between the ranks of a node";
  }
  return "?";
}

std::uint64_t reason_key(const Plan& plan) noexcept {
  const Reason& r = plan.reason;
  auto key = static_cast<std::uint64_t>(r.lacking);
  for (const std::int64_t value : {static_cast<std::int64_t>(r.why),
                                   static_cast<std::int64_t>(r.one_layer),
                                   r.ranks,
                                   r.pieces,
                                   r.piece_bytes,
                                   static_cast<std::int64_t>(r.equal_pieces),
                                   r.sparsest,
                                   r.local_aggregators,
                                   r.memory_limit_bytes,
                                   r.window_bytes,
                                   static_cast<std::int64_t>(r.masks),
                                   static_cast<std::int64_t>(r.cut),
                                   r.unit_bytes,
                                   r.targets,
                                   r.added_stripes,
                                   static_cast<std::int64_t>(plan.path),
                                   static_cast<std::int64_t>(plan.overlap.schedule),
                                   static_cast<std::int64_t>(plan.overlap.buffers),
                                   static_cast<std::int64_t>(plan.transfers.by),
                                   static_cast<std::int64_t>(plan.transfers.why),
                                   static_cast<std::int64_t>(plan.transfers.wanted),
                                   static_cast<std::int64_t>(plan.transfers.no_window)})
    key = core::hash_step(key, static_cast<std::uint64_t>(value));
  return core::hash_step(key, std::hash<std::string>{}(plan.transfers.refusal));
}

std::string reason_text(const Plan& plan) {
  const Reason& r = plan.reason;
  std::string text = path_text(plan);
  if (plan.path == Path::two_phase && r.why != Why::no_bytes)
    text += overlap_text(plan.overlap) + transfers_text(plan.transfers);
  if (plan.path != Path::independent && plan.path != Path::native && r.why != Why::no_bytes)
    text += cut_text(plan) + longer_text(r.added_stripes);
  if (r.memory_limit_bytes > 0)
    text += "; within " + std::to_string(r.memory_limit_bytes) + " bytes a rank: windows of " +
            std::to_string(r.window_bytes) + " at most";
  if (r.masks) text += "; with masks, as pieces overlap and leave holes";
  return text;
}

}  // namespace collio::policy
