// The part of opening a file that is one rank's: it makes the file, or empties it.
#pragma once

#include <string>

#include "core/result.hpp"

namespace collio::capi {

/// An error when these are no modes of enum collio_mode that go together. Pure.
[[nodiscard]] core::Error check_modes(int mode);

/// Makes the file or empties it, as `mode` says. Not collective; by one rank.
[[nodiscard]] core::Error create_file(const std::string& path, int mode);

}  // namespace collio::capi
