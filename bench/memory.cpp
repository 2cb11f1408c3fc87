#include "memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

namespace collio::bench {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// A line "VmRSS:   1234 kB" of /proc/self/status, in bytes; 0 where there is none.
[[nodiscard]] std::int64_t status_bytes(const char* name) {
  const File file(std::fopen("/proc/self/status", "re"));
  char line[256];
  while (file && std::fgets(line, sizeof line, file.get()) != nullptr) {
    long long kib = 0;
    if (std::strncmp(line, name, std::strlen(name)) == 0 &&
        std::sscanf(line + std::strlen(name), ": %lld", &kib) == 1)
      return kib * 1024;
  }
  return 0;
}

}  // namespace

std::int64_t settle_memory() {
  malloc_trim(0);
  return status_bytes("VmRSS");
}

void reset_peak() {
  // 5 resets VmHWM to VmRSS. Where it is not allowed the old mark stands, and the peak reads too high rather
  // than too low.
  if (const File file(std::fopen("/proc/self/clear_refs", "we")); file) std::fputs("5", file.get());
}

std::int64_t peak_above(std::int64_t base) { return std::max<std::int64_t>(0, status_bytes("VmHWM") - base); }

}  // namespace collio::bench
