// The network between a job's nodes, from the machine file that COLLIO_MACHINE names.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "engine/open/line.hpp"
#include "machine/machine.hpp"

namespace collio::engine {

/// What tells one machine file's text from another.
struct NetworkKey {
  /// -1: COLLIO_MACHINE is not set
  std::int64_t length = -1;
  std::int64_t hash = 0;
  /// the text says why there is none
  std::int64_t is_error = 0;
  friend bool operator==(const NetworkKey&, const NetworkKey&) = default;
};

/// A text that rank 0 sends to all: a machine file, or why there is none.
struct NetworkText {
  NetworkKey key;
  std::string text;
};

/// The text of the file that COLLIO_MACHINE names here, for rank 0; null: the variable is not set. The file
/// is read when its time stamp is new. Not collective.
[[nodiscard]] std::shared_ptr<const NetworkText> find_network();

/// Gives `machine` the network of the text with rank 0's `key`; where that fails, the reason. `text`: of rank
/// 0, which alone parses it, once. Collective. The result is the same on all ranks. Nothing is sent where
/// COLLIO_MACHINE is not set; else a small reduction. Where ranks of a node do not have this network in
/// common yet, the nodes' first ranks get its routes, which are in a node's memory once, and all ranks the
/// rest.
void discover_network(const Line& line, const Place& place, machine::Machine& machine, const NetworkKey& key,
                      const std::shared_ptr<const NetworkText>& text);

/// Why the network is unknown, with the file's name; empty when it is known, or none was asked for. Not
/// collective; for rank 0, whose environment it was.
[[nodiscard]] std::string why_unknown(const machine::Machine& machine);

/// The same as a warning, when this process has not given it before; else empty.
[[nodiscard]] std::string network_warning(const machine::Machine& machine);

}  // namespace collio::engine
