// Which files are of one kind to a reader of the report: those whose paths differ in numbers only.
#pragma once

#include <string>

namespace collio::observe {

/// `path` with '#' for each run of digits: "/scratch/out.0017.nc" is "/scratch/out.#.nc".
[[nodiscard]] inline std::string path_pattern(const std::string& path) {
  std::string pattern;
  for (const char c : path) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      pattern += c;
    else if (pattern.empty() || pattern.back() != '#')
      pattern += '#';
  }
  return pattern;
}

}  // namespace collio::observe
