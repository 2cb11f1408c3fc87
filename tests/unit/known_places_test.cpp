// Places that a process remembers: those of the same ranks under the same conditions, and the latest few.
#include "engine/open/known_places.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <set>

namespace collio::engine {
namespace {

PlaceKey key_of_ranks(std::uint64_t number) {
  return {.ranks = {number, 1}, .ranks_per_node = "", .processors = {1}};
}

Place place_of(int rank) {
  Place place;
  place.seat.local_rank = rank;
  place.shared_bytes = 1000 + rank;
  return place;
}

int rank_at(const PlaceKey& key) {
  const auto known = known_place(key);
  return known ? known->seat.local_rank : -1;
}

TEST(KnownPlaces, ArePlacesOfTheSameRanksUnderTheSameConditions) {
  const PlaceKey key{.ranks = {8, 9}, .ranks_per_node = "2", .processors = {3}};
  remember_place(key, place_of(5));
  EXPECT_EQ(rank_at(key), 5);
  EXPECT_EQ(known_place(key)->shared_bytes, 1005);
  PlaceKey other = key;
  other.ranks[1] = 10;
  EXPECT_EQ(rank_at(other), -1);
  other = key;
  other.ranks_per_node = "4";
  EXPECT_EQ(rank_at(other), -1) << "nodes are cut otherwise";
  other = key;
  other.processors = {7};
  EXPECT_EQ(rank_at(other), -1) << "the process has moved";
}

TEST(KnownPlaces, TheLatestFewStayAndALaterOneReplacesAnEarlier) {
  for (std::uint64_t i = 0; i < 4; ++i) remember_place(key_of_ranks(i), place_of(static_cast<int>(i)));
  remember_place(key_of_ranks(0), place_of(70));  // now the latest
  remember_place(key_of_ranks(4), place_of(4));
  EXPECT_EQ(rank_at(key_of_ranks(0)), 70);
  for (int again = 0; again < 3; ++again) remember_place(key_of_ranks(4), place_of(4));
  EXPECT_EQ(rank_at(key_of_ranks(1)), -1);
  for (const int stays : {2, 3, 4})
    EXPECT_EQ(rank_at(key_of_ranks(static_cast<std::uint64_t>(stays))), stays);
}

TEST(KnownPlaces, KeepNoCommunicator) {
  Place place = place_of(1);
  place.node = MPI_COMM_SELF;
  remember_place(key_of_ranks(99), place);
  EXPECT_EQ(known_place(key_of_ranks(99))->node, MPI_COMM_NULL);
}

TEST(KnownPlaces, ARankHasAnotherIdentityInAnotherOrder) {
  std::set<std::uint64_t> numbers;
  for (int rank = 0; rank < 100; ++rank)
    for (const std::uint64_t number : identity_at(rank)) numbers.insert(number);
  EXPECT_EQ(numbers.size(), 200U);
  EXPECT_EQ(identity_at(3), identity_at(3));
}

TEST(KnownPlaces, AKeyHasWhatThePlaceDependsOn) {
  ::unsetenv("COLLIO_RANKS_PER_NODE");
  const PlaceKey before = key_of({1, 2});
  EXPECT_EQ(before.ranks, (std::array<std::uint64_t, 2>{1, 2}));
  EXPECT_FALSE(before.processors.empty());
  ::setenv("COLLIO_RANKS_PER_NODE", "cyclic:2", 1);
  EXPECT_EQ(key_of({1, 2}).ranks_per_node, "cyclic:2");
  EXPECT_NE(key_of({1, 2}), before);
  ::unsetenv("COLLIO_RANKS_PER_NODE");
}

}  // namespace
}  // namespace collio::engine
