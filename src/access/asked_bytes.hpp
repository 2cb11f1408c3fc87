// Which parts of a file an access has bytes in, for the report's pictures.
#pragma once

#include "access/access.hpp"
#include "observe/buckets.hpp"

namespace collio::access {

/// Adds the bytes of `access` to the parts of the file that they lie in. Not collective. O(parts) of
/// ascending patterns, else O(pieces).
void put_bytes(const FileAccess& access, observe::Buckets& into) noexcept;

}  // namespace collio::access
