// See known_places.hpp.
#include "engine/open/known_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <random>
#include <utility>

#include "engine/open/processors.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

constexpr std::size_t most_places = 4;

struct KeptPlaces {
  std::mutex mutex;
  /// the latest first
  std::deque<std::pair<PlaceKey, Place>> places;
};

KeptPlaces& kept_places() {
  static auto* k = new KeptPlaces;
  return *k;
}

/// Every bit of the result depends on every bit of `x` (the finaliser of SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::uint64_t random_number() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

/// No other process has it: numbers of processes and of ranks in MPI_COMM_WORLD come again in containers and
/// spawned worlds.
const std::array<std::uint64_t, 2>& own_identity() {
  static const std::array<std::uint64_t, 2> identity{random_number(), random_number()};
  return identity;
}

}  // namespace

std::string emulated_nodes_text() {
  const char* text = ::secure_getenv("COLLIO_RANKS_PER_NODE");
  return text ? text : "";
}

std::array<std::uint64_t, 2> identity_at(int rank) {
  std::array<std::uint64_t, 2> identity{};
  for (std::size_t i = 0; i < identity.size(); ++i)
    identity[i] = mixed(own_identity()[i] + static_cast<std::uint64_t>(rank));
  return identity;
}

PlaceKey place_key(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  auto ranks = identity_at(rank);
  transport::reduce_to_all(ranks.data(), static_cast<int>(ranks.size()), MPI_UINT64_T, MPI_SUM, comm);
  return key_of(ranks);
}

PlaceKey key_of(const std::array<std::uint64_t, 2>& ranks) {
  PlaceKey key{.ranks = ranks};
  key.ranks_per_node = emulated_nodes_text();
  key.processors = own_processors();
  return key;
}

std::optional<Place> known_place(const PlaceKey& key) {
  KeptPlaces& k = kept_places();
  const std::lock_guard lock(k.mutex);
  const auto found = std::ranges::find(k.places, key, &std::pair<PlaceKey, Place>::first);
  if (found == k.places.end()) return {};
  return found->second;
}

void remember_place(PlaceKey key, const Place& place) {
  KeptPlaces& k = kept_places();
  const std::lock_guard lock(k.mutex);
  std::erase_if(k.places, [&](const auto& one) { return one.first == key; });
  k.places.emplace_front(std::move(key), place).second.node = MPI_COMM_NULL;
  if (k.places.size() > most_places) k.places.pop_back();
}

}  // namespace collio::engine
