// The ranks that serve domains: by arithmetic where the ranks of nodes are evenly spaced, else the ranks tell
// each other who sits where. And those of placed domains.
#include "engine/file/servers.hpp"

#include <gtest/gtest.h>

#include <new>

#include "board_agreement.hpp"
#include "engine/file/placed_servers.hpp"
#include "schedule.hpp"

namespace collio::engine {
namespace {

/// Two nodes with these ranks each, as rank `rank` sees them.
Place place_of(const std::vector<std::vector<int>>& nodes, int rank, bool even) {
  Place place;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const std::vector<int>& ranks = nodes[node];
    machine::Node& one = place.machine.nodes.edit().emplace_back();
    one.ranks = one.cores = static_cast<int>(ranks.size());
    place.ranks.edit().push_back({ranks[0], one.ranks, even ? ranks[1] - ranks[0] : 0});
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i] == rank) place.seat = {static_cast<int>(node), static_cast<int>(i)};
  }
  return place;
}

void expect_spare_seats(const Servers& servers, const Place& place,
                        const std::vector<std::vector<int>>& nodes, int rank) {
  const std::vector<int> seats{servers.number_of({0, 2}, place), servers.number_of({1, 1}, place), 1};
  EXPECT_TRUE(servers.has_spare(seats));
  const Servers placed = servers.in_order_of(seats, place, rank);
  EXPECT_EQ(placed.ranks, (std::vector{nodes[0][2], nodes[1][1], nodes[0][0]}));
  EXPECT_EQ(placed.homes, (std::vector{0, 1, 0}));
  EXPECT_EQ(placed.receivers, (std::vector{nodes[0][1], nodes[1][2], nodes[0][0]}));
  EXPECT_EQ(placed.mine, rank == nodes[0][2] ? 0 : rank == nodes[1][1] ? 1 : rank == nodes[0][0] ? 2 : -1);
}

void expect_servers(const std::vector<std::vector<int>>& nodes, bool even) {
  constexpr int ranks = 6;
  const std::vector<policy::Seat> seats{{1, 2}, {0, 0}, {1, 0}};
  const std::vector<int> serving{nodes[1][2], nodes[0][0], nodes[1][0]};
  const std::vector<int> receiving{nodes[1][1], nodes[0][1], nodes[1][2]};
  auto boards = transport::boards_of(ranks, transport::BoardAgreement::record_bytes);
  transport::Schedule schedule(3, ranks);
  const auto body = [&](int rank) {
    const transport::BoardAgreement agreement(boards[static_cast<std::size_t>(rank)]);
    const Place place = place_of(nodes, rank, even);
    Servers servers = servers_on(seats, place, agreement, rank);
    EXPECT_EQ(servers.ranks, serving) << "rank " << rank;
    EXPECT_EQ(servers.homes, (std::vector{1, 0, 1}));
    const auto mine = std::ranges::find(serving, rank);
    EXPECT_EQ(servers.mine, mine == serving.end() ? -1 : static_cast<int>(mine - serving.begin()));
    servers.add_receivers(seats, place, agreement, rank);
    ASSERT_EQ(servers.receivers.size(), seats.size());
    EXPECT_EQ(servers.receivers[1], receiving[1]);
    EXPECT_EQ(servers.receives, std::ranges::count(servers.receivers.get(), rank) > 0) << "rank " << rank;
    const Servers dealt = servers.in_order_of({2, 0, 1}, place, rank);
    EXPECT_EQ(dealt.ranks, (std::vector{serving[2], serving[0], serving[1]}));
    EXPECT_EQ(dealt.homes, (std::vector{1, 1, 0}));
    EXPECT_FALSE(servers.has_spare({2, 0, 1}));
    if (even) expect_spare_seats(servers, place, nodes, rank);
  };
  ASSERT_TRUE(schedule.run({}, body, [] {}));
}

TEST(Servers, AreCountedWhereRanksAreEvenlySpaced) {
  expect_servers({{0, 1, 2}, {3, 4, 5}}, true);
  expect_servers({{0, 2, 4}, {1, 3, 5}}, true);
}

TEST(Servers, AreToldWhereRanksAreNot) {
  expect_servers({{0, 1, 5}, {2, 3, 4}}, false);
  expect_servers({{0, 4, 5}, {1, 2, 3}}, false);
}

PlacedServers::Placed placed_at(std::vector<int> seats) {
  return std::make_shared<const policy::PlacedDomains>(
      policy::PlacedDomains{.how = "", .reason = {}, .seat_of_domain = std::move(seats)});
}

/// body(file, rank): of six ranks on two nodes, whose first ranks are aggregators.
template <class Body>
void on_two_nodes(Body&& body) {
  constexpr int ranks = 6;
  auto boards = transport::boards_of(ranks, transport::BoardAgreement::record_bytes);
  transport::Schedule schedule(3, ranks);
  ASSERT_TRUE(schedule.run(
      {},
      [&](int rank) {
        const transport::BoardAgreement agreement(boards[static_cast<std::size_t>(rank)]);
        const Place place = place_of({{0, 1, 2}, {3, 4, 5}}, rank, true);
        const Servers servers = servers_on({{0, 0}, {1, 0}}, place, agreement, rank);
        body(ServedFile{servers, place, rank, agreement, [] { return core::Error(); }}, rank);
      },
      [] {}));
}

TEST(PlacedServers, ThoseOfPlacementsThatAlternateAreMadeOnce) {
  on_two_nodes([](const ServedFile& file, int) {
    const auto spare = [&](int local_rank) { return file.in_order.number_of({0, local_rank}, file.place); };
    const std::vector placements{placed_at({spare(1), 1}), placed_at({spare(2), 0})};
    PlacedServers placed;
    std::optional<core::Error> begun;
    std::vector<Servers> all;  // which keeps their memory
    for (int call = 0; call < 6; ++call) {
      const Servers servers = placed.of(file, placements[static_cast<std::size_t>(call % 2)], begun);
      EXPECT_EQ(begun.has_value(), call < 2);
      begun.reset();
      EXPECT_EQ(servers.ranks, (call % 2 ? std::vector{2, 0} : std::vector{1, 3}));
      all.push_back(servers);
      EXPECT_EQ(&servers.ranks.get(), &all[static_cast<std::size_t>(call % 2)].ranks.get());
    }
  });
}

TEST(PlacedServers, OneWithoutMemoryStopsNoOther) {
  on_two_nodes([](ServedFile file, int rank) {
    bool lacks = rank == 1;
    file.open = [&]() -> core::Error {
      if (lacks) throw std::bad_alloc();
      return {};
    };
    const auto placement = placed_at({file.in_order.number_of({0, 1}, file.place), 1});
    PlacedServers placed;
    std::optional<core::Error> begun;
    EXPECT_EQ(placed.of(file, placement, begun).ranks, (std::vector{0, 3}));
    ASSERT_TRUE(begun);
    EXPECT_EQ(begun->kind, core::ErrorClass::no_memory);
    EXPECT_FALSE(placed.serves());
    lacks = false;
    begun.reset();
    EXPECT_EQ(placed.of(file, placement, begun).ranks, (std::vector{1, 3}));
    ASSERT_TRUE(begun);
    EXPECT_TRUE(begun->ok());
    EXPECT_EQ(placed.serves(), rank == 1 || rank == 3);
  });
}

TEST(PlacedServers, AFileThatARankCannotOpenIsServedInOrder) {
  on_two_nodes([](ServedFile file, int rank) {
    int opened = 0;
    file.open = [&]() -> core::Error {
      ++opened;
      return {core::ErrorClass::access, "no"};
    };
    const auto placement = placed_at({file.in_order.number_of({0, 1}, file.place), 1});
    PlacedServers placed;
    for (int call = 0; call < 2; ++call) {
      std::optional<core::Error> begun;
      EXPECT_EQ(placed.of(file, placement, begun).ranks, (std::vector{0, 3}));
      EXPECT_EQ(begun && begun->kind == core::ErrorClass::access, call == 0);
    }
    EXPECT_EQ(opened, rank == 1 || rank == 3 ? 1 : 0);
  });
}

}  // namespace
}  // namespace collio::engine
