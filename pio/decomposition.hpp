/// Decompositions: which elements of an array each rank has, and which no rank has. The latter are holes,
/// which a write fills.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "system.hpp"

struct collio_decomposition;

namespace collio::pio {

/// Elements [begin, end) of an array, or of a rank's list.
struct Run {
  std::int64_t begin, end;
};

struct FreeDecomposition {
  void operator()(collio_decomposition* decomposition) const;
};
using Elements = std::unique_ptr<collio_decomposition, FreeDecomposition>;

struct Decomposition {
  int id = 0;
  System* system = nullptr;
  nc_type type = NC_NAT;
  /// as text: "8 x 16"
  std::string shape;
  std::int64_t array_elements = 0;
  int dims = 0;
  /// of the array
  std::vector<int> lengths;
  /// of this rank's list
  std::int64_t length = 0;
  /// of any rank's
  std::int64_t most_length = 0;
  /// places of this rank's list that are in the array
  std::vector<Run> present;
  Elements elements;
  /// without the elements that others write; null: all of `elements`
  Elements written;
  /// why it cannot be written; "" if it can
  std::string read_only;
  /// that this rank fills
  std::int64_t holes = 0;
  std::int64_t most_holes = 0;
  /// null: this rank fills none
  Elements hole_elements;
};

/// Null: there is none with this id.
std::shared_ptr<Decomposition> find_decomposition(int id);

/// This rank's map, from 1 on with 0 for holes. O(length).
[[nodiscard]] std::vector<PIO_Offset> map_of(const Decomposition& decomposition);

/// Those of a system that the program has not freed.
void free_decompositions(const System& system);

/// What ranks know together of their maps.
struct Cover {
  /// every element is in one map, once
  bool exact = false;
  /// an element that is in two maps or twice in one; -1: there is none
  std::int64_t doubled = -1;
  /// this rank's share of the elements that are in no map; only if not exact
  std::vector<Run> holes;
};

/// `mine`: elements in this rank's map as runs in ascending order; `cover.doubled`: one that it has twice, or
/// -1. A failure is this rank's. Collective. One reduction where the maps are exact. Else every rank tells
/// the owners of shares of the array which elements it has.
[[nodiscard]] Failure cover_of(const System& system, const char* function, std::int64_t array_elements,
                               const std::vector<Run>& mine, Cover& cover);

/// Elements of `mine` that are in the map of a higher rank, too, in ascending order. A failure is this
/// rank's. Collective.
[[nodiscard]] Failure lost_elements(const System& system, const char* function, std::int64_t array_elements,
                                    const std::vector<Run>& mine, std::vector<Run>& lost);

}  // namespace collio::pio
