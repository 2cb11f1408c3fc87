// Hints for a file from collio's environment.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace collio::engine {

using Pairs = std::map<std::string, std::string>;

/// COLLIO_HINTS, COLLIO_SET_FOR, COLLIO_ENABLE=0 and others.
struct EnvironmentHints {
  Pairs pairs;
  /// on what is no hint
  std::vector<std::string> warnings;
};

/// `path`: without a driver's name. Not collective.
[[nodiscard]] EnvironmentHints environment_hints(const std::string& path);

}  // namespace collio::engine
