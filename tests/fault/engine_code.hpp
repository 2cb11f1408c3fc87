// Where the engine's library lies in memory, for programs whose malloc fails the engine alone.
#pragma once

#include <execinfo.h>
#include <link.h>
#include <time.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>

namespace collio::test {

struct EngineCode {
  std::uintptr_t begin = 0, end = 0;

  /// Whether the address is in it. Allocates nothing.
  [[nodiscard]] bool has(const void* address) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin && at < end;
  }
};

/// Of the library whose path has `name` in it. Empty where none is loaded.
inline EngineCode find_code(const char* name) {
  struct {
    const char* of;
    EngineCode code;
  } wanted{name, {}};
  const auto look = [](dl_phdr_info* info, std::size_t, void* found) {
    auto& [of, here] = *static_cast<decltype(wanted)*>(found);
    if (!std::strstr(info->dlpi_name, of)) return 0;
    here.begin = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; ++i)
      if (const auto& part = info->dlpi_phdr[i]; part.p_type == PT_LOAD)
        here.end = std::max<std::uintptr_t>(here.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
    return 1;
  };
  dl_iterate_phdr(look, &wanted);
  return wanted.code;
}
inline EngineCode find_engine() { return find_code("libcollio_engine"); }

/// From now on a rank that aborts says where it is, and gives the launcher time to pass it on.
inline void say_where_aborted() {
  void* frames[1];
  backtrace(frames, 1);  // loads what it needs: later there may be no memory
  std::signal(SIGABRT, [](int number) {
    void* where[40];
    backtrace_symbols_fd(where, backtrace(where, 40), 2);
    const timespec pause{0, 300'000'000};
    nanosleep(&pause, nullptr);
    std::signal(number, SIG_DFL);
    std::raise(number);
  });
}

}  // namespace collio::test
