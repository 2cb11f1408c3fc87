// How many messages come first for each domain: as many as nodes, or teams of these, have bytes of it.
//
// Each node knows its own part of that alone. The sum over the nodes' first ranks costs O(log nodes) steps
// with a number for each domain, instead of an empty message from every node to every aggregator, and only
// in the first call of a pattern: its plan keeps what came out.
#pragma once

#include <span>
#include <vector>

#include "engine/moving/call.hpp"
#include "engine/two_layer/node_tally.hpp"

namespace collio::engine {

/// Of the domains whose mail this rank receives, in that order. Collective where the call's plan has not been
/// gone by.
[[nodiscard]] std::span<const int> first_mail(CollectiveCall& call, const NodeTally& tally,
                                              std::span<const int> domains);

}  // namespace collio::engine
