// What the report says of the network: how the job's nodes lie in it, and what its files sent between them.
#pragma once

#include <optional>

#include "engine/file/file.hpp"
#include "observe/report_records.hpp"

namespace collio::engine {

/// On rank 0; nothing elsewhere, and nothing where there is one node and COLLIO_MACHINE is not set. One
/// reduction of O(nodes) numbers (nodes * nodes up to 64 nodes) and, where the network is known, two a link.
/// Collective.
[[nodiscard]] std::optional<observe::report::Network> network_of(const Ranks& ranks);

}  // namespace collio::engine
