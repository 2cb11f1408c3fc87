// See place_call.hpp.
#include "engine/call/place_call.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "core/cursor.hpp"
#include "core/index.hpp"
#include "engine/open/pooled.hpp"
#include "policy/aggregators/aggregators.hpp"
#include "policy/domains/file_cuts.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

using Row = std::vector<policy::DomainBytes>;

/// This rank's bytes in every domain. O((domains, or stripes, it touches) * log items).
std::vector<std::int64_t> bytes_by_domain(const access::FileAccess& access, const policy::Domains& domains) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(domains.count), 0);
  if (access.bytes == 0) return bytes;
  core::Cursor cursor(access.pattern);
  cursor.seek_offset(access.span.offset);
  while (!cursor.at_end() && cursor.offset() < access.span.end()) {
    const int domain = domains.owner(cursor.offset());
    const std::int64_t before = cursor.stream();
    cursor.seek_offset(std::min(domains.end_of_run(cursor.offset()), access.span.end()));
    bytes[core::at(domain)] += cursor.stream() - before;
  }
  return bytes;
}

/// Of a node, on its first rank: the sums over its ranks. Collective in the node.
Row row_of_node(const Ranks& ranks, std::vector<std::int64_t>& bytes) {
  const File& file = ranks.file;
  transport::reduce_to_first(bytes.data(), static_cast<int>(bytes.size()), MPI_INT64_T, MPI_SUM, ranks.node);
  Row row;
  if (file.place().seat.local_rank != 0) return row;
  for (std::size_t d = 0; d < bytes.size(); ++d)
    if (bytes[d] != 0) row.push_back({static_cast<std::int64_t>(d), bytes[d]});
  return row;
}

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

/// Messages to ranks on spare seats need nothing of them but their numbers.
std::vector<policy::Seat> spare_seats(const File& file, const policy::Plan& plan) {
  if (!file.place().even() || plan.transfers.by != policy::Transfer::two_sided) return {};
  return policy::spare_seats(file.machine, file.settings.hints, file.servers.seats(file.place()));
}

/// What the first ranks of nodes find together; on rank 0 with numbers of Servers for seats.
policy::PlacedDomains placed_with_spare(const Ranks& ranks, const policy::Plan& plan,
                                        std::vector<policy::DomainBytes> row) {
  const File& file = ranks.file;
  const std::vector<policy::Seat> spare = spare_seats(file, plan);
  std::vector<int> homes = file.servers.homes;
  for (const policy::Seat& seat : spare) homes.push_back(seat.node);
  const policy::SeatHomes seats(std::move(homes), static_cast<int>(spare.size()));
  policy::PlacedDomains done =
      placed_by_rows(LeadersOf(ranks), {plan, file.machine, file.settings.hints, seats}, std::move(row));
  if (spare.empty() || file.rank != 0) return done;
  const std::size_t aggregators = file.servers.ranks.size();
  for (int& seat : done.seat_of_domain.edit())
    if (core::at(seat) >= aggregators)
      seat = file.servers.number_of(spare[core::at(seat) - aggregators], file.place());
  return done;
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

void balance_call(const Ranks& ranks, policy::Plan& plan, const access::FileAccess& access) {
  const File& file = ranks.file;
  if (file.settings.hints.cut != policy::Cut::balanced || plan.domains.count < 2) return;
  const int count = plan.domains.count;
  const policy::Domains regions = policy::cut_evenly(
      {plan.span, count * balanced_regions, plan.alignment_bytes, plan.domains.window_bytes});
  std::vector<std::int64_t> bytes = bytes_by_domain(access, regions);
  transport::reduce_to_first(bytes.data(), static_cast<int>(bytes.size()), MPI_INT64_T, MPI_SUM, ranks.node);
  if (file.place().seat.local_rank == 0) {
    const LeadersOf leaders(ranks);
    combine_on_first(leaders, all_nodes(leaders), bytes, Combine::sums);
  }
  const policy::Histogram histogram{regions.low, regions.domain_bytes, std::move(bytes)};
  const policy::FileCutRequest request{plan.span, count, plan.alignment_bytes};
  policy::ContiguousDomains cut{std::vector<std::int64_t>(static_cast<std::size_t>(count) + 1)};
  if (file.rank == 0) cut = policy::cut_balanced(request, histogram);
  transport::broadcast(cut.bounds.data(), count + 1, MPI_INT64_T, 0, ranks.comm);
  policy::recut(plan, policy::domains_of(cut, request, plan.domains.window_bytes));
}

void place_call(const Ranks& ranks, policy::Plan& plan, const access::FileAccess& access,
                std::int64_t bytes) {
  const File& file = ranks.file;
  if (policy::against_placing(plan, file.machine, file.settings.hints, bytes) != policy::InOrder::no) return;
  std::vector<std::int64_t> bytes_here = bytes_by_domain(access, plan.domains);
  Row row = row_of_node(ranks, bytes_here);
  policy::PlacedDomains done;
  if (file.place().seat.local_rank == 0) done = placed_with_spare(ranks, plan, std::move(row));
  std::vector<std::int32_t> seats(static_cast<std::size_t>(plan.domains.count), -1);
  if (file.rank == 0) std::ranges::copy(done.seat_of_domain, seats.begin());
  ranks.agreement.maximum(seats);
  // Many plans are remembered, and most have domains in order.
  const bool in_order = std::ranges::equal(seats, std::views::iota(0, plan.domains.count));
  done.seat_of_domain = in_order ? std::vector<int>() : std::vector<int>(seats.begin(), seats.end());
  pool(done.seat_of_domain);
  plan.placed = std::make_shared<const policy::PlacedDomains>(std::move(done));
}

}  // namespace collio::engine
