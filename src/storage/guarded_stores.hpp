// Stores into mapped pages of a file that another program may truncate, or whose disk may be full: where a
// page is gone, a store would end the process by SIGBUS.
#pragma once

#include <cstddef>

namespace collio::storage {

/// While it lives, this thread may store into `bytes` bytes of mapped pages from `begin` on: in place of one
/// that is gone it gets a page of its own, and `lost()` says so. Method: SIGBUS is handled meanwhile, as
/// systemd's journal does (src/basic/sigbus.c); signals from elsewhere go to the handler that was there.
///
/// A signal of this kind comes to the thread that stored, so threads do not meet in the handler. The handler
/// is the process's: the first guard puts it there, the last puts the former one back, unless the program has
/// put in another one meanwhile.
class GuardedStores {
 public:
  GuardedStores(void* begin, std::size_t bytes) noexcept;
  ~GuardedStores();
  GuardedStores(const GuardedStores&) = delete;
  GuardedStores& operator=(const GuardedStores&) = delete;

  [[nodiscard]] bool lost() const noexcept;
};

}  // namespace collio::storage
