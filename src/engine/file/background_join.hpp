// Subfiles become one file while the program goes on.
#pragma once

#include <memory>

#include "storage/subfiles/look.hpp"
#include "storage/subfiles/set.hpp"

namespace collio::engine {

/// Joins the set on threads of this process, which does not exit before that is done. `alone` is held until
/// then: an open of the file waits. An error goes to stderr, and the file stays in its subfiles. An error
/// returned: there is no thread. Not collective.
[[nodiscard]] core::Error join_in_background(storage::SubfileSet set, std::shared_ptr<storage::SetUse> alone);

}  // namespace collio::engine
