// Fuzz target: the settings of other I/O layers (policy/hints/other_settings.hpp). Every pair is a hint with
// a value that is allowed.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "policy/hints/hints.hpp"
#include "policy/hints/other_settings.hpp"

namespace {

void check(const collio::policy::Settings& settings) {
  if (!collio::policy::parse_hints(settings.pairs).refused.empty()) std::abort();
  for (const auto& [key, value] : settings.pairs)
    if (!collio::policy::is_allowed(key, value)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collio::policy;
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(parse_romio_file(text, "file"));
  check(parse_cray_hints(text, [](const std::string& pattern) { return pattern.size() % 2 == 0; }));
  check(open_mpi_hints([&](const char*) { return text.c_str(); }));
  return 0;
}
