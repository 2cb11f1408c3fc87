// See select_aggregators.hpp.
#include "policy/aggregators/select_aggregators.hpp"

#include <algorithm>
#include <numeric>

namespace collio::policy {

namespace {

/// Parts of a node whose first ranks aggregate; 0: the policy knows no parts.
int parts_of(Selection selection, const machine::Node& node) {
  const int parts = selection == Selection::one_per_node ? 1
                    : selection == Selection::per_numa   ? node.numas
                    : selection == Selection::per_nic    ? node.nics
                                                         : 0;
  return std::clamp(parts, 0, node.ranks);
}

bool asks_for_number(const SelectionRequest& r) {
  return (r.counting == Counting::hint && r.hints.aggregators > 0) ||
         (r.counting == Counting::stripes && r.stripes > 0);
}

/// Most aggregators on every node.
std::vector<int> limits_of(Selection selection, const SelectionRequest& r) {
  Hints hints = r.hints;
  hints.aggregators =
      asks_for_number(r) || parts_of(selection, machine::Node{}) > 0 ? 1 : 0;  // then cores set no limit
  std::vector<int> limits = aggregator_limits(r.machine, hints);
  for (std::size_t i = 0; i < limits.size(); ++i)
    if (const int parts = parts_of(selection, r.machine.nodes[i]); parts > 0)
      limits[i] = std::min(limits[i], parts);
  return limits;
}

int count_within(int possible, const SelectionRequest& r) {
  if (possible < 1 || !asks_for_number(r)) return std::max(possible, 1);
  if (r.counting == Counting::hint) return std::min(r.hints.aggregators, possible);
  int count = std::min(r.stripes, possible);
  while (r.stripes % count != 0) --count;
  return count;
}

/// One to every node that may have one more, turn by turn; in the last turn to the first ones.
std::vector<int> deal_to_first(const std::vector<int>& limits, int count) {
  std::vector<int> counts(limits.size(), 0);
  for (int turn = 0; count > 0; ++turn)
    for (std::size_t i = 0; i < limits.size() && count > 0; ++i)
      if (limits[i] > turn) ++counts[i], --count;
  return counts;
}

/// In the order of ranks: the first ranks of a node's parts, or as many parts as there are aggregators.
std::vector<Seat> by_rank(Selection selection, const machine::Machine& machine,
                          const std::vector<int>& counts) {
  std::vector<Seat> seats;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    const machine::Node& node = machine.nodes[n];
    const int parts = std::max(parts_of(selection, node), counts[n]);
    for (int i = 0; i < counts[n]; ++i)
      seats.push_back({static_cast<int>(n), Spread{node.ranks, parts}.local_rank(i * parts / counts[n])});
  }
  return seats;
}

std::vector<Seat> by_turn(const std::vector<int>& counts) {
  std::vector<Seat> seats;
  const int turns = *std::max_element(counts.begin(), counts.end());
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t n = 0; n < counts.size(); ++n)
      if (turn < counts[n]) seats.push_back({static_cast<int>(n), turn});
  return seats;
}

}  // namespace

int count_aggregators(Selection selection, const SelectionRequest& r) {
  const std::vector<int> limits = limits_of(selection, r);
  return count_within(std::accumulate(limits.begin(), limits.end(), 0), r);
}

std::vector<Seat> select_aggregators(Selection selection, const SelectionRequest& r) {
  const std::vector<int> limits = limits_of(selection, r);
  const int possible = std::accumulate(limits.begin(), limits.end(), 0);
  if (possible == 0) return {Seat{}};  // cb_config_list names no node of this job: rank 0's node serves
  const int count = count_within(possible, r);
  if (selection == Selection::dealt) {
    Hints hints = r.hints;
    hints.aggregators = asks_for_number(r) ? count : 0;
    return choose_aggregators(r.machine, hints);
  }
  if (selection == Selection::round_robin) return by_turn(deal_to_first(limits, count));
  return by_rank(selection, r.machine, deal_evenly(r.machine, limits, count));
}

}  // namespace collio::policy
