// Elements that are in two maps: lost_elements() of decomposition.hpp.
#include <algorithm>
#include <set>

#include "exchange.hpp"

namespace collio::pio {

namespace {

/// Where a rank's run begins or ends.
struct Edge {
  std::int64_t at;
  int rank;
  bool begins;
};

/// Of each element that several ranks have, all but the highest rank. O(n log n) in runs.
RunsByRank losers(const RunsByRank& held) {
  std::vector<Edge> edges;
  for (const auto& [rank, runs] : held)
    for (const Run& run : runs)
      edges.push_back({run.begin, rank, true}), edges.push_back({run.end, rank, false});
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.at != b.at ? a.at < b.at : a.begins < b.begins;  // a rank's runs may touch
  });
  RunsByRank lost;
  std::set<int> having;
  std::int64_t from = 0;
  for (const Edge& edge : edges) {
    if (having.size() > 1 && from < edge.at)
      for (auto rank = having.begin(); rank != std::prev(having.end()); ++rank)
        lost[*rank].push_back({from, edge.at});
    from = edge.at;
    if (edge.begins)
      having.insert(edge.rank);
    else
      having.erase(edge.rank);
  }
  return lost;
}

}  // namespace

Failure lost_elements(const System& system, const char* function, std::int64_t array_elements,
                      const std::vector<Run>& mine, std::vector<Run>& lost) {
  const Shares shares(system, array_elements);
  RunsByRank held, from_owners;
  Failure failure =
      exchange(system, function, {exchange_of_doubles, [&] { return shares.by_owner(mine); }}, held);
  keep_worse(failure,
             exchange(system, function, {exchange_of_lost, [&] { return losers(held); }}, from_owners));
  if (failure) return failure;
  return with_memory(function, [&]() -> Failure {
    for (const auto& [owner, runs] : from_owners) lost.insert(lost.end(), runs.begin(), runs.end());
    std::sort(lost.begin(), lost.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
    return {};
  });
}

}  // namespace collio::pio
