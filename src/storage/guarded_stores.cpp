// See guarded_stores.hpp.
#include "storage/guarded_stores.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>

namespace collio::storage {

namespace {

/// What this thread stores into. Plain data: a handler may read it.
struct Pages {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  volatile bool lost = false;
};
thread_local Pages guarded;

std::mutex installing;
int guards = 0;
struct sigaction former {};

bool replaced(const siginfo_t& info) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (info.si_code <= 0 || at - guarded.begin >= guarded.bytes) return false;
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const page = reinterpret_cast<void*>(at / page_bytes * page_bytes);
  if (::mmap(page, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
      MAP_FAILED)
    return false;
  guarded.lost = true;
  return true;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  if (replaced(*info)) return;
  if ((former.sa_flags & SA_SIGINFO) != 0 && former.sa_sigaction != nullptr) {
    former.sa_sigaction(signal, info, context);
  } else if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) {
    former.sa_handler(signal);
  } else {  // the access comes again, and ends the process as it would have
    struct sigaction default_action {};
    default_action.sa_handler = SIG_DFL;
    ::sigaction(signal, &default_action, nullptr);
    if (info->si_code <= 0) ::raise(signal);
  }
}

bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_bus_error;
}

}  // namespace

GuardedStores::GuardedStores(void* begin, std::size_t bytes) noexcept {
  guarded.begin = reinterpret_cast<std::uintptr_t>(begin);
  guarded.bytes = bytes;
  guarded.lost = false;
  const std::lock_guard lock(installing);
  if (guards++ > 0) return;
  struct sigaction ours {};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  struct sigaction now {};
  ::sigaction(SIGBUS, nullptr, &now);
  if (is_ours(now)) return;
  former = now;
  ::sigaction(SIGBUS, &ours, nullptr);
}

GuardedStores::~GuardedStores() {
  guarded.bytes = 0;
  const std::lock_guard lock(installing);
  if (--guards > 0) return;
  struct sigaction now {};
  if (::sigaction(SIGBUS, nullptr, &now) == 0 && is_ours(now)) ::sigaction(SIGBUS, &former, nullptr);
}

bool GuardedStores::lost() const noexcept { return guarded.lost; }

}  // namespace collio::storage
