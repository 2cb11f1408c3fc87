// See place_call.hpp.
#include "engine/call/place_call.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/cursor.hpp"
#include "core/index.hpp"
#include "engine/call/place_rows.hpp"
#include "engine/open/pooled.hpp"
#include "policy/domains/file_cuts.hpp"
#include "policy/placement/place_domains.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

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
std::vector<policy::DomainBytes> row_of_node(const Ranks& ranks, std::vector<std::int64_t>& bytes) {
  const File& file = ranks.file;
  transport::reduce_to_first(bytes.data(), static_cast<int>(bytes.size()), MPI_INT64_T, MPI_SUM, ranks.node);
  std::vector<policy::DomainBytes> row;
  if (file.place().seat.local_rank != 0) return row;
  for (std::size_t d = 0; d < bytes.size(); ++d)
    if (bytes[d] != 0) row.push_back({static_cast<std::int64_t>(d), bytes[d]});
  return row;
}

}  // namespace

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
  std::vector<policy::DomainBytes> row = row_of_node(ranks, bytes_here);
  policy::PlacedDomains done;
  if (file.place().seat.local_rank == 0) {
    const policy::SeatHomes seats(file.servers.homes.get());
    done = placed_by_rows(LeadersOf(ranks), {plan, file.machine, file.settings.hints, seats}, std::move(row));
  }
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
