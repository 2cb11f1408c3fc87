// Union of several sorted lists of pieces.
//
// A k-way merge over packed lists that are read as they stand; overlapping and touching pieces coalesce.
// Memory O(lists), time O(pieces log lists).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/packed_extents.hpp"

namespace collio::core {

/// A sorted list that can be read once: `items` items from `reader`.
struct SortedList {
  PackedReader reader;
  std::int64_t items = 0;
};

namespace detail {

/// Head of one list during a merge: the current piece and the rest of its item.
struct MergeHead {
  SortedList list;
  Run run;

  bool load() {
    if (list.items == 0) return false;
    --list.items;
    run = list.reader.next();
    return true;
  }
  bool advance() {
    if (--run.count > 0) {
      run.offset += run.stride;
      return true;
    }
    return load();
  }
};

}  // namespace detail

/// Calls sink(Extent) for every maximal extent of the union, in ascending order.
template <class Sink>
void merge_union(const std::vector<SortedList>& lists, Sink&& sink) {
  std::vector<detail::MergeHead> heap;
  heap.reserve(lists.size());
  for (const SortedList& list : lists)
    if (detail::MergeHead head{list, {}}; head.load()) heap.push_back(head);
  const auto later = [](const detail::MergeHead& a, const detail::MergeHead& b) {
    return a.run.offset > b.run.offset;
  };
  std::make_heap(heap.begin(), heap.end(), later);
  Extent open{0, -1};
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const Run& run = heap.back().run;
    const Extent piece{run.offset, run.length};
    if (open.length >= 0 && piece.offset <= open.end()) {
      open.length = std::max(open.end(), piece.end()) - open.offset;
    } else {
      if (open.length >= 0) sink(open);
      open = piece;
    }
    if (heap.back().advance())
      std::push_heap(heap.begin(), heap.end(), later);
    else
      heap.pop_back();
  }
  if (open.length >= 0) sink(open);
}

}  // namespace collio::core
