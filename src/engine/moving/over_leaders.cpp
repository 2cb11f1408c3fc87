// See over_leaders.hpp.
#include "engine/moving/over_leaders.hpp"

#include <algorithm>
#include <functional>

#include "engine/file/file.hpp"
#include "transport/waiting/communicators.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

namespace {

constexpr int tag = 0;

/// below(node) for each child of this node's in the tree, nearest first; the distance to the parent.
template <class Below>
int climb(const LeaderMessages& leaders, const NodeRange& nodes, Below&& below) {
  const int here = leaders.node - nodes.first;
  int reach = 1;
  for (; reach < nodes.count && (here & reach) == 0; reach <<= 1)
    if (here + reach < nodes.count) below(nodes.first + here + reach);
  return reach;
}

}  // namespace

LeadersOf::LeadersOf(const Ranks& ranks)
    : LeaderMessages(ranks.file.place().seat.node, static_cast<int>(ranks.file.place().ranks.size())),
      ranks_(ranks) {}

void LeadersOf::send(std::span<const std::int64_t> numbers, int to_node) const {
  MPI_Request request = MPI_REQUEST_NULL;
  transport::must(MPI_Isend(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T,
                            ranks_.file.place().leader(to_node), tag, ranks_.comm, &request),
                  "MPI_Isend");
  transport::wait_for(request);
}

void LeadersOf::receive(std::span<std::int64_t> numbers, int from_node) const {
  MPI_Request request = MPI_REQUEST_NULL;
  transport::must(MPI_Irecv(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T,
                            ranks_.file.place().leader(from_node), tag, ranks_.comm, &request),
                  "MPI_Irecv");
  transport::wait_for(request);
}

void combine_on_first(const LeaderMessages& leaders, const NodeRange& nodes,
                      std::vector<std::int64_t>& numbers, Combine how) {
  std::vector<std::int64_t> other(numbers.size());
  const int reach = climb(leaders, nodes, [&](int node) {
    leaders.receive(other, node);
    if (how == Combine::sums)
      std::ranges::transform(other, numbers, numbers.begin(), std::plus{});
    else
      std::ranges::transform(other, numbers, numbers.begin(), [](auto a, auto b) { return std::max(a, b); });
  });
  if (leaders.node > nodes.first) leaders.send(numbers, leaders.node - reach);
}

void numbers_of_first(const LeaderMessages& leaders, const NodeRange& nodes,
                      std::span<std::int64_t> numbers) {
  int reach = climb(leaders, nodes, [](int) {});
  if (leaders.node > nodes.first) leaders.receive(numbers, leaders.node - reach);
  for (reach >>= 1; reach > 0; reach >>= 1)
    if (leaders.node + reach < nodes.first + nodes.count) leaders.send(numbers, leaders.node + reach);
}

}  // namespace collio::engine
