// See plan.hpp. What paths cost is estimated in estimates.cpp.
#include "policy/plan/plan.hpp"

#include <algorithm>
#include <bit>

#include "policy/aggregators/aggregators.hpp"
#include "policy/aggregators/local_aggregators.hpp"
#include "policy/domains/by_layout.hpp"
#include "policy/domains/file_cuts.hpp"
#include "policy/plan/estimates.hpp"

namespace collio::policy {

namespace {

// Beyond these, windows in shared memory are mostly holes: described pieces cost less.
constexpr std::int64_t sparsest(Direction direction) { return direction == Direction::write ? 64 : 4; }
constexpr int fewest_slots = 8, slots_per_home = 4;
constexpr std::int64_t smallest_domain_bytes = 1 << 20;
// Where rounds overlap, the first exchange and the last storage step are alone: they are kept short, as far
// as storage calls stay long.
constexpr int fewest_overlapped_rounds = 8;
constexpr std::int64_t shortest_overlapped_window = 1 << 20;
constexpr std::int64_t shortest_window_on_its_way =
    2 << 20;  // simulated: shorter ones cost more than they save
constexpr std::int64_t page = 4096;
constexpr std::int64_t smallest_memory_part = 1 << 20;

constexpr std::int64_t up_to_page(std::int64_t bytes) { return (bytes + page - 1) / page * page; }

int most_teams(const Layers& layers) {
  int most = 1;
  for (const Teams& teams : layers.teams) most = std::max(most, teams.count);
  return most;
}

/// Why layer 1 cannot help this call.
OneLayer against_two_layers(const PlanRequest& request, const machine::Machine& m, const Hints& hints) {
  if (request.lacking.node_memory) return OneLayer::no_node_memory;
  const int ranks = m.ranks();
  if (ranks == 1) return OneLayer::one_rank;
  const Layers layers = make_layers(m, hints);
  if (layers.local_aggregators() >= ranks && layers.nodes_per_group == 1) return OneLayer::all_aggregate;
  if (request.digest.span() / sparsest(request.direction) > request.digest.bytes) return OneLayer::sparse;
  if (request.direction == Direction::read && hints.read_holes == Holes::piecewise &&
      request.digest.bytes < request.digest.span())
    return OneLayer::holes_not_read;
  return most_teams(layers) > most_node_slots / 2 ? OneLayer::many_teams : OneLayer::no;
}

/// Windows that a node's memory must hold at least: two for each team, and two more that the node serves
/// where others have transit slots of their own.
std::int64_t fewest_windows(const machine::Machine& machine, const Hints& hints) {
  return 2 * most_teams(make_layers(machine, hints)) + (machine.nodes.size() > 1 ? 2 : 0);
}

bool layers_given(const Hints& hints) {
  return hints.local_aggregators > 0 || hints.local_aggregators_per_node > 0 || hints.nodes_per_group > 1;
}

/// Whether pieces of several nodes should rather not meet on their nodes first.
bool merging_is_slower(const Plan& plan, const machine::Machine& machine) {
  return machine.nodes.size() > 1 && plan.estimate_two_layer_s > plan.estimate_two_phase_s;
}

/// Calls that leave no choice. False: the path is to be chosen.
bool settle_path(Plan& plan, const PlanRequest& request) {
  const Digest& d = request.digest;
  if (d.undescribed == 0 && d.unordered == 0) return false;
  plan.reason.why = d.undescribed > 0 ? Why::undescribed : Why::unordered;
  plan.reason.ranks = d.undescribed > 0 ? d.undescribed : d.unordered;
  if (d.undescribed == 0) plan.reason.lacking = request.lacking.handles ? Lack::handles : Lack::nothing;
  plan.path = d.undescribed == 0 && !request.lacking.handles ? Path::independent : Path::native;
  return true;
}

/// The path that was asked for, or `exchange` where it is not available.
void take_asked(Plan& plan, const PlanRequest& request, Path asked, Path exchange) {
  const bool independent = asked == Path::independent;
  plan.reason.why = request.way ? Why::trials : Why::hint;
  if (independent) plan.reason.lacking = request.lacking.handles ? Lack::handles : Lack::nothing;
  if (asked != Path::two_layer) plan.reason.one_layer = OneLayer::no;
  plan.path = independent && !request.lacking.handles ? asked : exchange;
  if (independent && plan.path != asked) plan.reason.why = Why::hint;
}

/// Whether every piece has `average` bytes, as far as alignment shows it: where all pieces begin and end at
/// multiples of the average, none is shorter, so none is longer.
bool equal_pieces(const Digest& d, std::int64_t average) {
  return average > 0 && average * d.pieces == d.bytes &&
         std::has_single_bit(static_cast<std::uint64_t>(average)) && (d.offset_bits & (average - 1)) == 0;
}

void estimate_path(Plan& plan, const PlanRequest& request, Path exchange, const Layers& layers, bool given) {
  const double exchange_s =
      exchange == Path::two_layer ? plan.estimate_two_layer_s : plan.estimate_two_phase_s;
  plan.path =
      !request.lacking.handles && plan.estimate_independent_s < exchange_s ? Path::independent : exchange;
  plan.reason.why = Why::estimates;
  plan.reason.pieces = request.digest.pieces;
  plan.reason.piece_bytes = request.digest.bytes / std::max<std::int64_t>(1, request.digest.pieces);
  plan.reason.equal_pieces = equal_pieces(request.digest, plan.reason.piece_bytes);
  plan.reason.local_aggregators = layers.local_aggregators();
  plan.reason.fewest_messages = !given && layers.teams.size() > 1;
}

void choose_path(Plan& plan, const PlanRequest& request, const machine::Machine& machine,
                 const Hints& hints) {
  if (settle_path(plan, request)) return;
  const Path hint = request.direction == Direction::write ? hints.write_path : hints.read_path;
  const Path asked = request.way ? request.way->path : hint;
  Reason& reason = plan.reason;
  if (asked != Path::two_phase) reason.one_layer = against_two_layers(request, machine, hints);
  const bool free_choice = asked == Path::automatic && !layers_given(hints);
  if (free_choice && reason.one_layer == OneLayer::no && merging_is_slower(plan, machine))
    reason.one_layer = OneLayer::slower;
  if (reason.one_layer == OneLayer::no_node_memory) reason.lacking = Lack::node_memory;
  if (reason.one_layer == OneLayer::sparse) reason.sparsest = sparsest(request.direction);
  const Path exchange =
      asked == Path::two_phase || reason.one_layer != OneLayer::no ? Path::two_phase : Path::two_layer;
  if (asked != Path::automatic) return take_asked(plan, request, asked, exchange);
  estimate_path(plan, request, exchange, make_layers(machine, hints), layers_given(hints));
}

/// Few bytes need few aggregators, unless hints say how many there are or where they begin.
int serving_aggregators(const PlanRequest& request, const Hints& hints) {
  if (hints.alignment_bytes > 0 || hints.aggregators > 0) return request.aggregators;
  return static_cast<int>(
      std::min<std::int64_t>(request.aggregators, request.digest.span() / smallest_domain_bytes + 1));
}

/// The longest window of two phases, where an aggregator serves `share` bytes: several fit the collective
/// buffer when rounds overlap.
std::int64_t two_phase_window_bytes(const machine::Machine& machine, const Hints& hints, std::int64_t share) {
  const int buffers = choose_overlap(machine, hints).buffers;
  const std::int64_t shortest = std::max(shortest_overlapped_window, machine.storage.layout.unit_bytes);
  const std::int64_t most = hints.buffer_bytes / buffers;
  if (buffers == 1 || hints.window_bytes > 0) return most;
  return std::min(most, std::max(shortest, share / fewest_overlapped_rounds));
}

/// What windows may have of a node's memory in this call. Fresh memory costs the kernel more than the bytes
/// that pass through it: each page is zeroed once and mapped by each rank. So a call of few bytes has a part,
/// half of what the ranks have moved up to now, where storage calls are cheap and short windows thus as good
/// as long ones.
std::int64_t memory_in_use(const PlanRequest& request, const machine::Machine& machine, const Hints& hints) {
  const std::int64_t all = node_memory_bytes(machine, hints);
  const bool asked = hints.window_bytes > 0 || hints.direct || hints.cut == Cut::balanced;
  const std::int64_t least = std::max(smallest_memory_part, page * fewest_windows(machine, hints));
  if (machine.nodes.size() > 1 || machine.storage.node_buffer_bytes > 0 || asked || all / 4 < least ||
      request.digest.through_slots == Digest::nothing || request.digest.bytes / machine.ranks() >= all / 2)
    return all;
  const std::int64_t moved = (request.digest.through_slots + request.digest.bytes) / machine.ranks();
  return all / 8 * std::clamp<std::int64_t>(moved / (all / 4), 2, 8);
}

/// Nodes whose ranks' spans cover one place of the file, where neighbours in the file are on one node.
std::int64_t nodes_at_a_place(const Digest& d, const machine::Machine& machine) {
  const std::int64_t ranks = machine.ranks(), nodes = std::ssize(machine.nodes.get());
  const std::int64_t span = std::max<std::int64_t>(1, d.span());
  const std::int64_t deep = std::clamp<std::int64_t>(d.spans / span + (d.spans % span > 0 ? 1 : 0), 1, ranks);
  return std::max<std::int64_t>(1, deep * nodes / ranks);
}

/// Domains of a call and how they lie.
struct Cutting {
  int serving = 1;
  /// windows of one round are neighbours in the file
  bool dealt = false;
  /// bytes of a domain
  std::int64_t share = 0;
};

/// A window for each aggregator must be on its way, or aggregators wait: of dealt domains, in the memory of
/// the nodes that have bytes at one place of the file.
std::int64_t window_on_its_way_bytes(const PlanRequest& request, const machine::Machine& machine,
                                     std::int64_t memory, const Cutting& cut) {
  const std::int64_t senders = nodes_at_a_place(request.digest, machine);
  const std::int64_t windows = (cut.serving + senders - 1) / senders;
  const auto room = static_cast<std::uint64_t>(memory / 2 / windows);
  return std::max(shortest_window_on_its_way, static_cast<std::int64_t>(std::bit_floor(room)));
}

/// The longest window: what the storage likes best, within the collective buffer, and several to a node's
/// memory.
std::int64_t window_bytes(const PlanRequest& request, const machine::Machine& machine, const Hints& hints,
                          Path path, const Cutting& cut) {
  const std::int64_t wanted = hints.window_bytes > 0 ? hints.window_bytes : machine.storage.window_bytes;
  const std::int64_t best = std::min(hints.buffer_bytes, wanted);
  if (path == Path::two_phase) return std::min(best, two_phase_window_bytes(machine, hints, cut.share));
  if (path != Path::two_layer) return best;
  // Every team of a node has a slot of its own for a window that is served elsewhere.
  const std::int64_t memory = memory_in_use(request, machine, hints);
  const std::int64_t fewest = fewest_windows(machine, hints);
  const std::int64_t most = std::max(page, memory / fewest / page * page);
  if (hints.window_bytes > 0) return std::min(best, most);
  // Behind a network each domain has windows under way while others fill, and as many are in transit.
  const bool travel = machine.storage.behind_network() && machine.nodes.size() > 1;
  const int homes = travel ? aggregators_of_a_node(machine, hints) : 0;
  if (memory < node_memory_bytes(machine, hints))
    return std::min({best, most, node_memory_bytes(machine, hints) / (2 * fewest_slots)});
  const std::int64_t on_its_way =
      travel && cut.dealt ? window_on_its_way_bytes(request, machine, memory, cut) : best;
  return std::min({best, most, memory / std::max(fewest_slots, slots_per_home * homes), on_its_way});
}

/// The mask of a slot has whole words.
void fit_mask(Plan& plan) {
  if (plan.window_slots > 1)
    plan.mask_shift =
        std::min(plan.mask_shift, std::countr_zero(static_cast<std::uint64_t>(slot_bytes(plan))) - 6);
}

/// Slots, and whether they keep masks: unless the pieces, if they do not overlap, must fill the whole span.
void lay_out_slots(Plan& plan, const PlanRequest& request, const machine::Machine& machine,
                   const Hints& hints) {
  const std::int64_t memory_bytes = memory_in_use(request, machine, hints);
  plan.whole_memory = memory_bytes == node_memory_bytes(machine, hints);
  plan.few_servers = few_servers(machine, hints);
  plan.node_slots =
      2 * static_cast<int>(std::clamp<std::int64_t>(memory_bytes / up_to_page(plan.domains.window_bytes) / 2,
                                                    1, most_node_slots / 2));
  plan.several_nodes = machine.nodes.size() > 1;
  if (plan.several_nodes) plan.mail = std::make_shared<FirstMail>();
  plan.tiled = request.tiled;
  plan.holes_sure = request.digest.bytes < request.digest.span();
  plan.home_masks = request.direction == Direction::write &&
                    (request.with_masks || request.digest.bytes != request.digest.span());
  plan.masks = plan.several_nodes || plan.home_masks;
  const Domains& d = plan.domains;
  const auto bits = static_cast<std::uint64_t>(request.digest.offset_bits) | d.offset_bits();
  plan.mask_shift = bits == 0 ? 0 : std::countr_zero(bits);
  // Pieces of a node that has few of a window's are packed into a part of its slots. Where ranks share bytes,
  // these would travel several times.
  if (plan.several_nodes && request.digest.bytes <= request.digest.span())
    plan.window_slots = static_cast<int>(
        std::bit_floor(static_cast<unsigned>(std::min(most_window_slots, most_slots / plan.node_slots))));
  fit_mask(plan);
}

}  // namespace

void recut(Plan& plan, Domains domains) {
  plan.domains = std::move(domains);
  plan.mask_shift = std::min(plan.mask_shift, std::countr_zero(plan.domains.offset_bits()));
  fit_mask(plan);
}

std::int64_t slot_bytes(const Plan& plan) noexcept {
  return up_to_page(plan.domains.window_bytes) / plan.window_slots;
}

Plan with_masks(Plan again, const Plan& first) {
  recut(again, first.domains);
  again.placed = first.placed;
  again.reason.masks = true;
  return again;
}

bool few_servers(const machine::Machine& machine, const Hints& hints) noexcept {
  return !hints.host_limits.empty() || hints.aggregators > 0 || machine.storage.aggregators_per_core == 0;
}

std::int64_t node_memory_bytes(const machine::Machine& machine, const Hints& hints) {
  constexpr std::int64_t mebibyte = 1 << 20;
  std::int64_t best = machine.storage.node_buffer_bytes;
  if (best ==
      0) {  // cheap calls: as much as the caches of the cores hold, so that windows are written while there
    int cores = 1;
    for (const machine::Node& node : machine.nodes) cores = std::max(cores, std::min(node.cores, node.ranks));
    // Windows of other nodes' aggregators are under way for longer. Twice as much is no faster, and must be
    // made in a job's first call.
    const std::int64_t least = machine.nodes.size() > 1 ? 8 * mebibyte : 4 * mebibyte;
    best = std::clamp<std::int64_t>(2 * cores * mebibyte, least, 32 * mebibyte);
  }
  const std::int64_t window = std::min(hints.buffer_bytes, std::max(hints.window_bytes, page));
  const std::int64_t least = page * fewest_windows(machine, hints);
  const int homes = machine.storage.behind_network() ? aggregators_of_a_node(machine, hints) : 1;
  const std::int64_t buffers = 2 * hints.buffer_bytes * homes;
  return std::max({2 * up_to_page(window), up_to_page(std::min(buffers, best)), least});
}

Plan make_plan(const PlanRequest& request, const machine::Machine& machine, const Hints& hints) {
  const bool write = request.direction == Direction::write;
  Plan plan;
  plan.direction = request.direction;
  plan.holes = write ? hints.write_holes : hints.read_holes;
  const core::Extent span{request.digest.low, request.digest.span()};
  const CutChoice choice =
      choose_cut({write, span, serving_aggregators(request, hints), request.aggregators}, machine, hints);
  const int serving = choice.aggregators;
  const Estimates estimates = estimate({request.digest, request.aggregators, serving, write}, machine);
  plan.estimate_two_phase_s = estimates.two_phase_s;
  plan.estimate_two_layer_s = estimates.two_layer_s;
  plan.estimate_independent_s = estimates.independent_s;
  choose_path(plan, request, machine, hints);
  if (request.digest.bytes == 0) {
    plan.reason.why = Why::no_bytes;
    return plan;
  }
  plan.span = span;
  CutRequest cut{plan.span, serving, choice.alignment_bytes, 0, choice.begins};
  const bool dealt = choice.cut == Cut::static_cyclic || choice.cut == Cut::group_cyclic;
  cut.window_bytes =
      window_bytes(request, machine, hints, plan.path, {serving, dealt, plan.span.length / cut.aggregators});
  if (plan.path == Path::two_phase) {
    plan.overlap = choose_overlap(machine, hints);
    plan.transfers = choose_transfers(
        {request.digest, machine.ranks(), request.way ? request.way->transfer : hints.transfer,
         request.lacking.windows, request.lacking.refusal},
        hints);
  }
  plan.reason.memory_limit_bytes = hints.memory_limit_bytes;
  plan.reason.window_bytes = cut.window_bytes;
  plan.domains = cut_by(choice.cut, cut, choice.targets);
  plan.reason.cut = choice.why;
  plan.reason.unit_bytes = choice.why == WhyCut::unknown_layout ? 0 : choice.alignment_bytes;
  plan.reason.targets = choice.targets;
  if (choice.cut == Cut::even) plan.reason.added_stripes = added_stripes(cut);
  plan.alignment_bytes =
      plan.domains.dealt() ? plan.domains.members * plan.domains.stripe_bytes : cut.alignment_bytes;
  if (plan.path == Path::two_layer) lay_out_slots(plan, request, machine, hints);
  return plan;
}

}  // namespace collio::policy
