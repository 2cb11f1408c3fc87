// Errors as collio.h has them: a code that is returned, and a text of the thread.
#pragma once

#include <cstdint>
#include <new>
#include <string>

#include "access/reserve.hpp"
#include "core/result.hpp"

namespace collio::capi {

/// The code of `error`; its text is the thread's from now on. Not collective.
int told(const core::Error& error);

/// The thread's last error.
[[nodiscard]] const char* error_text() noexcept;

/// What `work` returns, an Error, as a code; without memory for it, that of no memory.
template <class Work>
int guarded(Work&& work) try {
  return told(work());
} catch (const std::bad_alloc&) {
  return told({core::ErrorClass::no_memory, "no memory"});
}

/// The same for work on `object`, which must not be null.
template <class Work>
int guarded_on(const void* object, Work&& work) {
  if (!object) return told({core::ErrorClass::argument, "the file, variable or request is null"});
  return guarded(work);
}

/// The same for what other ranks wait in: small allocations do not fail.
template <class Work>
int guarded_collectively(const void* object, Work&& work) {
  const access::Reserve::Use no_list_fails;
  return guarded_on(object, work);
}

/// An `argument` error: what it is, and what is allowed.
[[nodiscard]] core::Error not_allowed(const std::string& what, std::int64_t value,
                                      const std::string& allowed);

}  // namespace collio::capi
