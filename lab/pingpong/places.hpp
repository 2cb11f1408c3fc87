// The ranks that act for a node: its first rank sends, its last one receives. With two ranks or more a node,
// what comes in and what goes out have connections of their own. On a shared one, MPI libraries queue the
// consent that a large message waits for behind the data that goes the other way: two directions then take
// turns, on any network.
#pragma once

#include <string>
#include <vector>

namespace collio::pingpong {

struct Place {
  std::string name;
  int sender;    // rank
  int receiver;  // rank; the sender itself where a node has one rank
};

/// The job's nodes, by their first rank; the same on every rank. Collective.
[[nodiscard]] std::vector<Place> find_places();

}  // namespace collio::pingpong
