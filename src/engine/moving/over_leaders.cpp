// See over_leaders.hpp.
#include "engine/moving/over_leaders.hpp"

#include <span>

#include "core/index.hpp"
#include "engine/file/file.hpp"
#include "transport/waiting/communicators.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

namespace {

constexpr int tag_tree = 0;  // as of rows, which come behind these between two ranks

void send(const Ranks& ranks, std::span<const std::int64_t> numbers, int node) {
  MPI_Request request = MPI_REQUEST_NULL;
  transport::must(MPI_Isend(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T,
                            ranks.file.place().leaders[core::at(node)], tag_tree, ranks.comm, &request),
                  "MPI_Isend");
  transport::wait_for(request);
}

void receive(const Ranks& ranks, std::span<std::int64_t> numbers, int node) {
  MPI_Request request = MPI_REQUEST_NULL;
  transport::must(MPI_Irecv(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T,
                            ranks.file.place().leaders[core::at(node)], tag_tree, ranks.comm, &request),
                  "MPI_Irecv");
  transport::wait_for(request);
}

/// below(node) for each child of this node's in the tree, nearest first; the distance to the parent.
template <class Below>
int climb(const Ranks& ranks, const NodeRange& nodes, Below&& below) {
  const int here = ranks.file.place().seat.node - nodes.first;
  int reach = 1;
  for (; reach < nodes.count && (here & reach) == 0; reach <<= 1)
    if (here + reach < nodes.count) below(nodes.first + here + reach);
  return reach;
}

}  // namespace

NodeRange all_nodes(const Ranks& ranks) noexcept {
  return {0, static_cast<int>(ranks.file.place().leaders.size())};
}

void combine_on_first(const Ranks& ranks, const NodeRange& nodes, std::vector<std::int64_t>& numbers,
                      MPI_Op op) {
  std::vector<std::int64_t> other(numbers.size());
  const int reach = climb(ranks, nodes, [&](int node) {
    receive(ranks, other, node);
    transport::must(
        MPI_Reduce_local(other.data(), numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, op),
        "MPI_Reduce_local");
  });
  if (const int here = ranks.file.place().seat.node; here > nodes.first) send(ranks, numbers, here - reach);
}

void numbers_of_first(const Ranks& ranks, const NodeRange& nodes, std::span<std::int64_t> numbers) {
  const int here = ranks.file.place().seat.node;
  int reach = climb(ranks, nodes, [](int) {});
  if (here > nodes.first) receive(ranks, numbers, here - reach);
  for (reach >>= 1; reach > 0; reach >>= 1)
    if (here + reach < nodes.first + nodes.count) send(ranks, numbers, here + reach);
}

}  // namespace collio::engine
