// Check mode (collio_check): what a program got wrong in its collective calls, found before it does harm.
//
// Two things that MPI asks for and nobody checks: that all ranks make the same calls in the same order, and that the writes of one call
// do not overlap. The first costs a comparison in the digest, and a reduction in calls that have none. The second sends the pieces'
// descriptions through the exchange of a two-phase write, without their data.
#pragma once

#include <string>

#include "engine/call.hpp"

namespace collio::engine {

/// What stands in the digest for the call's kind: alike for all calls that are the same. Without check mode write or read are all that counts.
[[nodiscard]] std::int64_t fingerprint_of(const File& file, const std::string& operation, policy::Direction direction);

/// The error of a call that not all ranks make: which of them make which. Collective: all ranks know that they differ.
[[nodiscard]] core::Error different_calls(const File& file, const std::string& operation, std::int64_t fingerprint);

/// In check mode, before a call of the file that moves no bytes: an error when not all ranks make it. Elsewhere nothing. Collective.
[[nodiscard]] core::Error check_same_call(File& file, const std::string& operation);

/// In check mode, before a write: tells of bytes that several ranks write, or one rank twice. An error when the mode is strict. Collective.
/// Cost: as the exchange of the pieces' descriptions; at most 8 MiB on an aggregator, whatever the pieces.
[[nodiscard]] core::Error check_write(File& file, const CallRequest& request, const policy::Digest& digest, const access::FileAccess& access);

/// In check mode, at open: an error on all ranks when not all give rank 0's `common` hints, or open the same file. Collective.
[[nodiscard]] core::Error check_open(const File& file, const std::map<std::string, std::string>& mine, const std::map<std::string, std::string>& common);

}  // namespace collio::engine
