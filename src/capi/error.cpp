// See error.hpp.
#include "capi/error.hpp"

#include "capi/library.h"

namespace collio::capi {

namespace {

// collio.h has the classes under its own names.
static_assert(static_cast<int>(core::ErrorClass::none) == COLLIO_OK);
static_assert(static_cast<int>(core::ErrorClass::argument) == COLLIO_ERR_ARGUMENT);
static_assert(static_cast<int>(core::ErrorClass::not_same) == COLLIO_ERR_NOT_SAME);
static_assert(static_cast<int>(core::ErrorClass::no_such_file) == COLLIO_ERR_NO_SUCH_FILE);
static_assert(static_cast<int>(core::ErrorClass::file_exists) == COLLIO_ERR_FILE_EXISTS);
static_assert(static_cast<int>(core::ErrorClass::io) == COLLIO_ERR_IO);
static_assert(static_cast<int>(core::ErrorClass::no_space) == COLLIO_ERR_NO_SPACE);

std::string& text() {
  static thread_local std::string of_thread;
  return of_thread;
}

}  // namespace

int told(const core::Error& error) {
  if (!error.ok()) text() = error.message;
  return static_cast<int>(error.kind);
}

const char* error_text() noexcept { return text().c_str(); }

core::Error not_allowed(const std::string& what, std::int64_t value, const std::string& allowed) {
  return {core::ErrorClass::argument, what + " is " + std::to_string(value) + "; allowed: " + allowed};
}

}  // namespace collio::capi
