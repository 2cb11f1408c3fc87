// See place_call.hpp.
#include "engine/call/place_call.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <optional>

#include "core/cursor.hpp"
#include "policy/domains/file_cuts.hpp"
#include "policy/placement/place_domains.hpp"
#include "transport/waiting/collectives.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

namespace {

constexpr int tag_row = 0;

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
    bytes[static_cast<std::size_t>(domain)] += cursor.stream() - before;
  }
  return bytes;
}

/// visit(node, row) on rank 0 for every node: the sums over its ranks. Needs no memory but `row`, this
/// rank's, so that no row is left behind. Collective.
template <class Visit>
void gather_rows(const Ranks& ranks, std::vector<std::int64_t>& row, Visit&& visit) {
  const File& file = ranks.file;
  const int width = static_cast<int>(row.size());
  const bool first = file.place().seat.local_rank == 0;
  MPI_Request request = MPI_REQUEST_NULL;
  transport::reduce_to_first(row.data(), width, MPI_INT64_T, MPI_SUM, ranks.node);
  if (file.rank == 0) {
    visit(file.place().seat.node, row);
    for (int node = 0; node < static_cast<int>(file.machine.nodes.size()); ++node) {
      if (node == file.place().seat.node) continue;
      MPI_Irecv(row.data(), width, MPI_INT64_T, file.place().leaders[static_cast<std::size_t>(node)], tag_row,
                ranks.comm, &request);
      transport::wait_for(request);
      visit(node, row);
    }
  } else if (first) {
    MPI_Isend(row.data(), width, MPI_INT64_T, 0, tag_row, ranks.comm, &request);
    transport::wait_for(request);
  }
}

/// A row for each node, on rank 0. Nothing: there is no memory for them.
std::optional<core::Matrix<std::int64_t>> room_for_rows(const File& file, int width) try {
  return core::Matrix<std::int64_t>({static_cast<int>(file.machine.nodes.size()), width});
} catch (const std::bad_alloc&) {
  return {};
}

/// On rank 0.
policy::PlacedDomains placed(const File& file, const policy::Plan& plan,
                             std::optional<core::Matrix<std::int64_t>> rows) try {
  if (!rows) return policy::without_memory(plan.domains.count);
  policy::PlacedDomains done =
      policy::place_domains(plan, file.machine, file.settings.hints, std::move(*rows), file.servers.homes);
  for (policy::PlacementMeasures* m : {&done.before, &done.after}) m->seat_bytes = {};  // plans are kept
  return done;
} catch (const std::bad_alloc&) {
  return policy::without_memory(plan.domains.count);
}

}  // namespace

void balance_call(const Ranks& ranks, policy::Plan& plan, const access::FileAccess& access) {
  File& file = ranks.file;
  if (file.settings.hints.cut != policy::Cut::balanced || plan.domains.count < 2) return;
  const int count = plan.domains.count;
  const policy::Domains regions = policy::cut_evenly(
      {plan.span, count * balanced_regions, plan.alignment_bytes, plan.domains.window_bytes});
  std::vector<std::int64_t> mine = bytes_by_domain(access, regions);
  policy::Histogram histogram{regions.low, regions.domain_bytes, std::vector<std::int64_t>(mine.size(), 0)};
  gather_rows(ranks, mine, [&](int, const std::vector<std::int64_t>& row) {
    std::ranges::transform(histogram.bytes, row, histogram.bytes.begin(), std::plus{});
  });
  const policy::FileCutRequest request{plan.span, count, plan.alignment_bytes};
  policy::ContiguousDomains cut{std::vector<std::int64_t>(static_cast<std::size_t>(count) + 1)};
  if (file.rank == 0) cut = policy::cut_balanced(request, histogram);
  transport::broadcast(cut.bounds.data(), count + 1, MPI_INT64_T, 0, ranks.comm);
  policy::recut(plan, policy::domains_of(cut, request, plan.domains.window_bytes));
}

void place_call(const Ranks& ranks, policy::Plan& plan, const access::FileAccess& access,
                std::int64_t bytes) {
  File& file = ranks.file;
  if (policy::against_placing(plan, file.machine, file.settings.hints, bytes) != policy::InOrder::no) return;
  std::vector<std::int64_t> mine = bytes_by_domain(access, plan.domains);
  std::optional<core::Matrix<std::int64_t>> rows;
  if (file.rank == 0) rows = room_for_rows(file, plan.domains.count);
  gather_rows(ranks, mine, [&](int node, const std::vector<std::int64_t>& row) {
    if (rows) std::ranges::copy(row, rows->row(node).begin());
  });
  policy::PlacedDomains done;
  std::vector<std::int32_t> seats(static_cast<std::size_t>(plan.domains.count), -1);
  if (file.rank == 0) {
    done = placed(file, plan, std::move(rows));
    std::ranges::copy(done.seat_of_domain, seats.begin());
  }
  ranks.agreement.maximum(seats);
  done.seat_of_domain.assign(seats.begin(), seats.end());
  plan.placed = std::make_shared<const policy::PlacedDomains>(std::move(done));
}

}  // namespace collio::engine
