// Bytes that several ranks write in one call, or one rank twice.
#pragma once

#include "engine/moving/call.hpp"

namespace collio::engine {

/// In check mode (collio_check), before a write: warns of bytes that several ranks write, or one rank twice.
/// An error when the mode is strict. Collective. Cost: as the exchange of the pieces' descriptions; at most 8
/// MiB on an aggregator, whatever the pieces.
[[nodiscard]] core::Error check_write(const Buffers& buffers, const CallRequest& request,
                                      const policy::Digest& digest, const access::FileAccess& access);

}  // namespace collio::engine
