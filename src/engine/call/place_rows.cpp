// See place_rows.hpp.
#include "engine/call/place_rows.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <span>
#include <utility>

namespace collio::engine {

namespace {

using Row = std::vector<policy::DomainBytes>;

/// Adds a row where there is memory for it.
void add_row(std::optional<policy::NodeBytes>& rows, std::span<const policy::DomainBytes> row) try {
  if (rows) rows->add_row(row);
} catch (const std::bad_alloc&) {
  rows.reset();
}

std::span<std::int64_t> numbers_of(Row& row) {
  static_assert(sizeof(policy::DomainBytes) == 2 * sizeof(std::int64_t));
  return {reinterpret_cast<std::int64_t*>(row.data()), 2 * row.size()};
}

struct Gathered {
  /// nothing: there is no memory for them
  std::optional<policy::NodeBytes> rows;
  /// entries
  std::int64_t left_out = 0;
};

/// All nodes' rows on the first, with `most` entries of each, the heaviest. Collective among the nodes' first
/// ranks.
Gathered gather_rows(const LeaderMessages& leaders, int domains, Row row, std::int64_t most) {
  const auto all = static_cast<std::int64_t>(row.size());
  const std::int64_t first = std::int64_t{leaders.node} * domains / leaders.nodes;
  row = policy::heaviest(std::move(row), static_cast<std::size_t>(most), first);
  const std::int64_t left_out = all - std::ssize(row);
  if (leaders.node > 0) {
    row.insert(row.begin(), {std::ssize(row), left_out});
    leaders.send(numbers_of(row), 0);
    return {};
  }
  Gathered gathered{policy::NodeBytes(domains), left_out};
  add_row(gathered.rows, row);
  row.resize(static_cast<std::size_t>(std::min<std::int64_t>(most, domains)) + 1);
  for (int node = 1; node < leaders.nodes; ++node) {
    leaders.receive(numbers_of(row), node);
    add_row(gathered.rows, std::span(row).subspan(1, static_cast<std::size_t>(row.front().domain)));
    gathered.left_out += row.front().bytes;
  }
  return gathered;
}

/// What place() finds, on the first node. Nothing: it found nothing.
template <class Place>
std::optional<policy::PlacedDomains> placed(const policy::Plan& plan, Place&& place) try {
  std::optional<policy::PlacedDomains> done = place();
  if (!done) return {};
  for (policy::PlacementMeasures* m : {&done->before, &done->after}) m->seat_bytes = {};  // plans are kept
  return done;
} catch (const std::bad_alloc&) {
  return policy::without_memory(plan.domains.count);
}

}  // namespace

policy::PlacedDomains placed_by_rows(const LeaderMessages& leaders, const PlacedCall& call, Row row) {
  const int domains = call.plan.domains.count, nodes = leaders.nodes;
  std::optional<policy::SwitchSums> sums;
  std::int64_t entries = std::int64_t{nodes} * domains;
  if (policy::sums_first(call.plan, call.machine, call.hints, call.seats)) {
    sums = policy::part_of_sums(call.plan, call.seats, nodes, leaders.node, row);
    combine_on_first(leaders, all_nodes(leaders), sums->sums, Combine::sums);
    combine_on_first(leaders, all_nodes(leaders), sums->most, Combine::maxima);
    std::optional<policy::PlacedDomains> done;
    if (leaders.node == 0)
      done = placed(call.plan, [&] {
        return policy::placed_by_sums(call.plan, call.machine, call.hints, call.seats, *sums);
      });
    entries = done ? -1 : sums->entries();
    numbers_of_first(leaders, all_nodes(leaders), {&entries, 1});
    if (done) return std::move(*done);
    if (entries < 0) return {};
  }
  const std::int64_t most = entries <= policy::most_entries ? domains : policy::most_entries / nodes;
  Gathered gathered = gather_rows(leaders, domains, std::move(row), most);
  if (leaders.node > 0) return {};
  if (!gathered.rows) return policy::without_memory(domains);
  const bool all = gathered.left_out == 0;
  return *placed(call.plan, [&] {
    return policy::place_domains(call.plan, call.machine, call.hints,
                                 {std::move(*gathered.rows), all ? std::nullopt : std::move(sums), all},
                                 call.seats);
  });
}

}  // namespace collio::engine
