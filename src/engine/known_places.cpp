// See known_places.hpp.
#include "engine/known_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <numeric>
#include <utility>

namespace collio::engine {

namespace {

constexpr std::size_t most_places = 8;

struct Kept {
  std::mutex mutex;
  std::deque<std::pair<PlaceKey, Place>> places;  ///< the latest first
};

Kept& kept() {
  static auto* k = new Kept;
  return *k;
}

/// Ranks in MPI_COMM_WORLD of those of `comm`; empty where a process has no rank there, or no MPI_COMM_WORLD, as in sessions.
std::vector<int> world_ranks(MPI_Comm comm) {
  int begun = 0, ended = 0, size = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (!begun || ended) return {};
  MPI_Comm_size(comm, &size);
  std::vector<int> mine(static_cast<std::size_t>(size)), found(mine.size());
  std::iota(mine.begin(), mine.end(), 0);
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(group, size, mine.data(), world, found.data());
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  if (std::ranges::find(found, MPI_UNDEFINED) != found.end()) return {};
  return found;
}

}  // namespace

PlaceKey place_key(MPI_Comm comm) {
  PlaceKey key{.ranks = world_ranks(comm)};
  if (const char* text = std::getenv("COLLIO_RANKS_PER_NODE")) key.ranks_per_node = text;
  sched_getaffinity(0, sizeof key.processors, &key.processors);
  return key;
}

std::optional<Place> known_place(const PlaceKey& key) {
  if (key.ranks.empty()) return {};
  Kept& k = kept();
  const std::lock_guard lock(k.mutex);
  const auto found = std::ranges::find(k.places, key, &std::pair<PlaceKey, Place>::first);
  if (found == k.places.end()) return {};
  return found->second;
}

void remember_place(PlaceKey key, const Place& place) {
  if (key.ranks.empty()) return;
  Kept& k = kept();
  const std::lock_guard lock(k.mutex);
  std::erase_if(k.places, [&](const auto& one) { return one.first == key; });
  k.places.emplace_front(std::move(key), place).second.node = MPI_COMM_NULL;
  if (k.places.size() > most_places) k.places.pop_back();
}

}  // namespace collio::engine
