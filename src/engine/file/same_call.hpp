// Check mode (collio_check): all ranks open the same file with the same hints, and make the same calls in the
// same order.
//
// MPI asks for this, and no MPI library checks it. Reductions compare the ranks' calls in any case. Check
// mode compares the names of data calls, too, and costs a reduction in calls that have none. The other half
// of check mode, writes that overlap, is in check/check_write.cpp.
#pragma once

#include <map>
#include <string>

#include "engine/file/file.hpp"

namespace collio::engine {

/// Before a call of the file that moves no bytes: an error where an earlier call failed and ranks have not
/// met since; in check mode also when not all ranks make this call. Collective.
[[nodiscard]] core::Error check_same_call(const Ranks& ranks, const std::string& operation);

/// The same before a call that moves bytes: programs look at its outcome, so the next one goes on.
[[nodiscard]] core::Error check_same_data_call(const Ranks& ranks, const std::string& operation);

/// In check mode, at open: an error on all ranks when not all give rank 0's `common` hints, or open the same
/// file. Collective.
[[nodiscard]] core::Error check_open(const Ranks& ranks, const std::map<std::string, std::string>& mine,
                                     const std::map<std::string, std::string>& common);

}  // namespace collio::engine
