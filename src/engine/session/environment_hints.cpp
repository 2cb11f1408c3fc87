// See environment_hints.hpp.
#include "engine/session/environment_hints.hpp"

#include <fnmatch.h>

#include <cstdlib>
#include <cstring>

#include "engine/file/file.hpp"
#include "policy/hints/hints.hpp"
#include "policy/hints/path_hints.hpp"

namespace collio::engine {

namespace {

bool matches(const std::string& pattern, const std::string& path) {
  const bool by_name = pattern.find('/') == std::string::npos;
  return ::fnmatch(pattern.c_str(), by_name ? path.c_str() + path.rfind('/') + 1 : path.c_str(), 0) == 0;
}

/// Later rules win.
void add_hints_for(const std::string& path, EnvironmentHints& to) {
  const char* text = ::secure_getenv("COLLIO_SET_FOR");
  if (!text) return;
  const std::string whole = absolute_path(path);
  for (const policy::PathHints& rule : policy::parse_path_hints(text, to.warnings))
    if (matches(rule.pattern, whole))
      for (const auto& [key, value] : rule.hints) to.pairs[key] = value;
}

}  // namespace

EnvironmentHints environment_hints(const std::string& path) {
  EnvironmentHints found;
  Pairs& pairs = found.pairs;
  if (const char* text = ::secure_getenv("COLLIO_HINTS")) pairs = policy::split_hints(text, found.warnings);
  if (const char* patience = ::secure_getenv("COLLIO_PATIENCE")) pairs["collio_patience"] = patience;
  if (const char* check = ::secure_getenv("COLLIO_CHECK"))
    pairs["collio_check"] = std::strcmp(check, "1") == 0   ? "enable"
                            : std::strcmp(check, "0") == 0 ? "disable"
                                                           : check;
  if (const char* faults = ::secure_getenv("COLLIO_FAULTS"); faults && *faults)
    pairs.emplace("collio_faults", faults);
  add_hints_for(path, found);
  const char* enable = ::secure_getenv("COLLIO_ENABLE");
  if (enable && *enable && std::strcmp(enable, "1") != 0)  // a warning names what it cannot be
    pairs["collio_enable"] = std::strcmp(enable, "0") == 0 ? "disable" : enable;
  return found;
}

}  // namespace collio::engine
