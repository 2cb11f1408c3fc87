// Fuzz target: COLLIO_HINTS and every hint's value (policy/hints/hints.hpp). What is in force is always
// something that is allowed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "policy/hints/hints.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collio::policy;
  std::vector<std::string> warnings;
  const auto pairs = split_hints({reinterpret_cast<const char*>(data), size}, warnings);
  const Hints hints = parse_hints(pairs);
  if (hints.in_force.size() != hint_table().size()) std::abort();
  const Hints again = parse_hints(hints.in_force);
  if (!again.refused.empty() || again.in_force != hints.in_force) std::abort();
  if (hints.buffer_bytes < 1 || hints.buffer_bytes > 1 << 30 || hints.buffers < 2 || hints.buffers > 64)
    std::abort();
  return 0;
}
