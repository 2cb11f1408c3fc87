// Fuzz target: the grammar of faults (policy/hints/faults.hpp).
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "policy/hints/faults.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collio::policy;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& parsed : {parse_faults(text), parse_fault_file(text)}) {
    if (!parsed.ok() && parsed.error().message.empty()) std::abort();
    if (!parsed.ok()) continue;
    for (const FaultRule& rule : parsed.value().rules) {
      const FaultEffect& e = rule.effect;
      const bool nothing =
          e.delay_s == 0 && e.stuck_s == 0 && e.interruptions == 0 && !e.short_bytes && !e.error;
      if (nothing || rule.which.first < 1 || rule.which.last < rule.which.first || e.delay_s < 0 ||
          e.delay_s > 3600)
        std::abort();
      static_cast<void>(rule.concerns(3, 1));
    }
  }
  return 0;
}
