// What hints choose among, and the words for it. The words are rows of hints.def.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <variant>

#include "core/names.hpp"

namespace collio::policy {

enum class Path { automatic, two_layer, two_phase, independent, native };
enum class Holes { automatic, piecewise, sieve };
enum class Schedule {
  automatic,
  none,
  communication,
  write,
  write_communication,
  write_communication_2,
  dataflow
};
enum class Check { none, warn, strict };
/// When subfiles become one file.
enum class Join { never, close, background };
enum class Transfer { automatic, two_sided, fence, lock };
enum class StorageKind { automatic, posix, threads, uring, null };

/// Which ranks aggregate, from the machine alone (policy/aggregators/select_aggregators).
enum class Selection {
  /// round robin over nodes, spread over a node's ranks: the default
  dealt,
  /// a node's first rank
  one_per_node,
  /// the first rank of every memory domain
  per_numa,
  /// the first rank of every network adapter
  per_nic,
  /// round robin over nodes, a node's ranks from the first: {0, 64, 1, 65} for 4 on 2 nodes of 64, as Cray
  /// MPI
  round_robin,
  /// evenly over nodes and over a node's ranks, in the order of ranks (Kang et al., TPDS 2020)
  spread,
};

/// Which node aggregates a part of the file, among those that have bytes of it
/// (policy/aggregators/elect_aggregators).
enum class Election {
  /// the first node of the partition
  greedy,
  /// the one with the fewest hops to storage
  shortest_path,
  /// the most; to compare with
  longest_path,
  /// the least C1 + C2
  topology_aware,
  /// as well, with what parts before put on the links to storage added to the bytes of C2
  contention_aware,
};

/// Who aggregates: chosen from the machine alone, or elected among the nodes that have bytes of a domain.
using Who = std::variant<Selection, Election>;

/// Which aggregator serves which file domain (policy/placement/assignment).
enum class Assignment {
  /// domain i to aggregator i
  in_order,
  /// most bytes stay on their node
  locality_aware,
  /// fewest bytes times links
  least_hop_bytes,
  /// the busiest link is done soonest among the assignments that exchanges reach; never later than by the
  /// others
  least_congestion,
};

/// How the span of a call is cut into file domains (policy/domains/file_cuts).
enum class Cut { even, aligned, static_cyclic, group_cyclic, balanced };

namespace words {
using enum core::Stability;  // hints.def marks words with it
#define COLLIO_WORDS(list, Value, ...) \
  inline constexpr auto list = std::to_array<core::Name<Value>>({__VA_ARGS__});
#include "policy/hints/hints.def"
}  // namespace words

[[nodiscard]] constexpr std::string_view name_of(Path path) noexcept {
  return path == Path::native ? "native" : core::word_for(words::path, path);  // no hint chooses native
}
[[nodiscard]] constexpr std::string_view name_of(Schedule schedule) noexcept {
  return core::word_for(words::schedule, schedule);
}
[[nodiscard]] constexpr std::string_view name_of(Transfer transfer) noexcept {
  return core::word_for(words::transfer, transfer);
}
[[nodiscard]] constexpr std::string_view name_of(StorageKind kind) noexcept {
  return core::word_for(words::storage, kind);
}
[[nodiscard]] constexpr std::string_view name_of(const Who& who) noexcept {
  return core::word_for(words::who, who);
}
[[nodiscard]] constexpr std::string_view name_of(Selection selection) noexcept {
  return name_of(Who(selection));
}
[[nodiscard]] constexpr std::string_view name_of(Election election) noexcept {
  return name_of(Who(election));
}
[[nodiscard]] constexpr std::string_view name_of(Assignment policy) noexcept {
  return core::word_for(words::assignment, std::optional(policy));
}
[[nodiscard]] constexpr std::string_view name_of(Join join) noexcept {
  return core::word_for(words::join, join);
}
[[nodiscard]] constexpr std::string_view name_of(Cut cut) noexcept {
  return core::word_for(words::cut, std::optional(cut));
}

}  // namespace collio::policy
