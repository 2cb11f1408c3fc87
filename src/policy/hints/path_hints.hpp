// Hints for files by their paths: "PATTERN: key=value, key=value; PATTERN: key=value" (COLLIO_SET_FOR).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace collio::policy {

/// Hints for the files that `pattern` matches.
struct PathHints {
  /// of the shell's kind; with a '/': of the whole path, else of the name
  std::string pattern;
  std::map<std::string, std::string> hints;
};

/// The rules of `text`, in order. A rule that is none becomes a warning that names it. A value may have
/// commas: only a comma before "key=" ends it. Pure.
[[nodiscard]] std::vector<PathHints> parse_path_hints(std::string_view text,
                                                      std::vector<std::string>& warnings);

}  // namespace collio::policy
