// See place_call.hpp.
#include "engine/call/place_call.hpp"

#include <algorithm>
#include <functional>

#include "core/cursor.hpp"
#include "policy/file_cuts.hpp"
#include "policy/place_domains.hpp"
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

/// The sums of all nodes on rank 0, row by row; elsewhere nothing of use. Collective.
core::Matrix<std::int64_t> gather_rows(const File& file, std::vector<std::int64_t> mine) {
  const int width = static_cast<int>(mine.size());
  const bool first = file.node_rank == 0;
  MPI_Request request = MPI_REQUEST_NULL;
  transport::reduce_to_first(mine.data(), width, MPI_INT64_T, MPI_SUM, file.node);
  core::Matrix<std::int64_t> rows({file.rank == 0 ? static_cast<int>(file.machine.nodes.size()) : 0, width});
  if (file.rank == 0) {
    std::ranges::copy(mine, rows.row(file.node_index).begin());
    for (int node = 0; node < rows.rows(); ++node) {
      if (node == file.node_index) continue;
      MPI_Irecv(rows.row(node).data(), width, MPI_INT64_T, file.leaders[static_cast<std::size_t>(node)],
                tag_row, file.comm, &request);
      transport::wait_for(request);
    }
  } else if (first) {
    MPI_Isend(mine.data(), width, MPI_INT64_T, 0, tag_row, file.comm, &request);
    transport::wait_for(request);
  }
  return rows;
}

/// What the regions of an even cut hold, over all ranks. On rank 0.
policy::Histogram histogram_of(const policy::Domains& regions, const core::Matrix<std::int64_t>& rows) {
  policy::Histogram h{regions.low, regions.domain_bytes,
                      std::vector<std::int64_t>(static_cast<std::size_t>(regions.count), 0)};
  for (int node = 0; node < rows.rows(); ++node)
    std::ranges::transform(h.bytes, rows.row(node), h.bytes.begin(), std::plus{});
  return h;
}

}  // namespace

void balance_call(File& file, policy::Plan& plan, const access::FileAccess& access) {
  if (file.hints.cut != policy::Cut::balanced || plan.domains.count < 2) return;
  const int count = plan.domains.count;
  const policy::Domains regions = policy::cut_evenly(
      {plan.span, count * balanced_regions, plan.alignment_bytes, plan.domains.window_bytes});
  const core::Matrix<std::int64_t> rows = gather_rows(file, bytes_by_domain(access, regions));
  const policy::FileCutRequest request{plan.span, count, plan.alignment_bytes};
  policy::ContiguousDomains cut{std::vector<std::int64_t>(static_cast<std::size_t>(count) + 1)};
  if (file.rank == 0) cut = policy::cut_balanced(request, histogram_of(regions, rows));
  transport::broadcast(cut.bounds.data(), count + 1, MPI_INT64_T, 0, file.comm);
  policy::recut(plan, policy::domains_of(cut, request, plan.domains.window_bytes));
}

void place_call(File& file, policy::Plan& plan, const access::FileAccess& access, std::int64_t bytes) {
  if (policy::against_placing(plan, file.machine, file.hints, bytes) != policy::InOrder::no) return;
  core::Matrix<std::int64_t> rows = gather_rows(file, bytes_by_domain(access, plan.domains));
  policy::PlacedDomains placed;
  std::vector<std::int32_t> seats(static_cast<std::size_t>(plan.domains.count), -1);
  if (file.rank == 0) {
    placed = policy::place_domains(plan, file.machine, file.hints, std::move(rows), file.servers.homes);
    std::ranges::copy(placed.seat_of_domain, seats.begin());
  }
  file.agreement->maximum(seats);
  placed.seat_of_domain.assign(seats.begin(), seats.end());
  plan.placed = std::make_shared<const policy::PlacedDomains>(std::move(placed));
}

}  // namespace collio::engine
