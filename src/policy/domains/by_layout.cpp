// See by_layout.hpp.
#include "policy/domains/by_layout.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "policy/aggregators/select_aggregators.hpp"

namespace collio::policy {

namespace {

// A window is at most a stripe where stripes are dealt. Shorter ones would cost more calls and messages than
// a lock: storage calls stay as long as those that rounds overlap (policy/plan/plan).
constexpr std::int64_t shortest_dealt_bytes = 1 << 20;
constexpr std::int64_t longest_block_bytes = 64 << 20;
constexpr int most_targets_for_nodes = 16;

/// The layout that counts.
const machine::Layout& layout_for(const machine::Machine& machine, const Hints& hints) {
  static const machine::Layout unknown;
  return hints.layout ? machine.storage.layout : unknown;
}

/// Whether writes to the file may deal stripes at all.
bool may_deal(const machine::Machine& machine, const Hints& hints) {
  const machine::Layout& layout = layout_for(machine, hints);
  return layout.count > 1 && layout.unit_bytes >= shortest_dealt_bytes && machine.nodes.size() > 1 &&
         !hints.cut && std::holds_alternative<Selection>(hints.who);
}

WhyCut against_dealing(const CutQuestion& q, const machine::Machine& machine, const Hints& hints) {
  const machine::Layout& layout = layout_for(machine, hints);
  if (!q.write || layout.count < 2 || machine.nodes.size() < 2) return WhyCut::aligned;
  return may_deal(machine, hints) ? WhyCut::dealt : WhyCut::short_stripes;
}

bool fits(const FittingRequest& r, int count) { return count % r.targets == 0 || r.targets % count == 0; }

}  // namespace

int fitting_aggregators(const FittingRequest& r) noexcept {
  for (int count = std::max(1, r.wanted); count <= std::min(r.most, 2 * r.wanted); ++count)
    if (fits(r, count)) return count;
  for (int count = std::min(r.most, r.wanted - 1); count >= std::max(1, (r.wanted + 1) / 2); --count)
    if (fits(r, count)) return count;
  return 0;
}

Hints fitted_to_layout(const machine::Machine& machine, Hints hints) {
  if (hints.aggregators > 0 || !may_deal(machine, hints)) return hints;
  const Selection selection = std::get<Selection>(hints.who);
  Hints all = hints;
  all.aggregators = machine.ranks();
  const int wanted = count_aggregators(selection, {machine, hints}),
            most = count_aggregators(selection, {machine, all});
  const int fitting = fitting_aggregators({machine.storage.layout.count, wanted, most});
  if (fitting > 0 && fitting != wanted) hints.aggregators = fitting;
  return hints;
}

CutChoice choose_cut(const CutQuestion& q, const machine::Machine& machine, const Hints& hints) {
  const machine::Layout& layout = layout_for(machine, hints);
  CutChoice choice{hints.cut.value_or(Cut::even), machine.storage.block_bytes, q.wanted, hints.servers,
                   WhyCut::unknown_layout};
  if (layout.known()) choice.alignment_bytes = layout.unit_bytes;
  if (hints.alignment_bytes > 0) choice.alignment_bytes = hints.alignment_bytes;
  if (choice.targets == 0) choice.targets = layout.count;
  if (hints.cut || (layout.known() && choice.alignment_bytes != layout.unit_bytes)) {
    choice.why = WhyCut::hint;
    return choice;
  }
  if (!layout.known()) return choice;
  const std::int64_t stripes =
      q.span.length / layout.unit_bytes + (q.span.length % layout.unit_bytes > 0 ? 1 : 0);
  if (stripes < (q.wanted + 1) / 2 && hints.alignment_bytes == 0) {
    choice.alignment_bytes = std::min(machine.storage.block_without_layout(), layout.unit_bytes);
    choice.why = WhyCut::long_stripes;
    return choice;
  }
  choice.begins = std::max(1, layout.count);
  choice.why = against_dealing(q, machine, hints);
  if (choice.why != WhyCut::dealt) return choice;
  const bool given = hints.aggregators > 0;
  const FittingRequest request{layout.count, q.wanted, q.available};
  const int fitting = given && !fits(request, q.wanted) ? 0 : fitting_aggregators(request);
  if (fitting == 0 && given)
    choice.why = WhyCut::given_number;
  else if (fitting == 0)
    choice.why = WhyCut::uneven;
  else if (stripes < fitting)
    choice.why = WhyCut::few_stripes;
  else
    choice.cut = Cut::group_cyclic, choice.aggregators = fitting, choice.targets = layout.count;
  return choice;
}

machine::LayoutWish wish_for(const Hints& hints, int nodes, bool folder_has_layout) noexcept {
  machine::LayoutWish wish{hints.alignment_bytes, hints.servers};
  if (!wish.any() && hints.striping_by_job && nodes > 1 && !folder_has_layout)
    wish.count = std::min(nodes, most_targets_for_nodes);
  return wish;
}

machine::StorageModel with_layout(machine::StorageModel model, machine::Layout layout) {
  if (model.plain_block_bytes > 0) model.block_bytes = std::exchange(model.plain_block_bytes, 0);
  // Estimates test the ends of pieces with a mask (policy/plan/estimates).
  if (layout.known() && layout.unit_bytes >= 4096 && layout.unit_bytes <= longest_block_bytes &&
      std::has_single_bit(static_cast<std::uint64_t>(layout.unit_bytes)))
    model.plain_block_bytes = std::exchange(model.block_bytes, layout.unit_bytes);
  model.layout = std::move(layout);
  return model;
}

}  // namespace collio::policy
