// A network as bytes, without its routes: what every process of a job has of it.
#pragma once

#include <string>
#include <string_view>

#include "machine/network.hpp"

namespace collio::machine {

/// Between processes of one job. Pure. O(vertices + links).
[[nodiscard]] std::string packed(const Network& network);
/// The network that was packed, without routes. Pure.
[[nodiscard]] Network unpacked(std::string_view bytes);

}  // namespace collio::machine
