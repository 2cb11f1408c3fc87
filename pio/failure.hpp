/// What went wrong, as PIO's code and a text, and what the error handling makes of it.
#pragma once

#include <new>
#include <string>

#include "pio.h"

namespace collio::pio {

struct Failure {
  int code = PIO_NOERR;
  std::string text;
  /// all ranks have it: one of them prints it
  bool agreed = false;

  explicit operator bool() const { return code != PIO_NOERR; }
};

/// Order of failures: the least is the worst. PIO_ERANGE comes last, whatever its number.
[[nodiscard]] constexpr int order(int code) { return code == PIO_ERANGE ? -1 : 2 * code; }
[[nodiscard]] constexpr int code_of_order(int order) { return order == -1 ? PIO_ERANGE : order / 2; }

/// Keeps the worse of two failures.
void keep_worse(Failure& kept, Failure other);

/// Whether a call ends with it. Numbers that do not fit are fill values in the file: all else goes on.
[[nodiscard]] inline bool ends(const Failure& failure) { return failure && failure.code != PIO_ERANGE; }

/// A failure of PnetCDF: its text for the code, and what to do about codes that programs meet often.
[[nodiscard]] Failure netcdf_failure(int code, const std::string& what);

/// The failure of a step that may run out of memory, for the ranks to agree on.
template <class Step>
[[nodiscard]] Failure with_memory(const char* function, Step&& step) try {
  return step();
} catch (const std::bad_alloc&) {
  return netcdf_failure(NC_ENOMEM, function);
}

/// A failure of collio's library.
[[nodiscard]] Failure collio_failure(int code, const std::string& what);

/// "what: name is VALUE; allowed: ALLOWED".
[[nodiscard]] Failure not_allowed(const std::string& what, long long value, const std::string& allowed);

/// PIO's text for a code.
[[nodiscard]] std::string code_text(int code);

struct System;

/// The code, after the text was kept for collio_pio_error_text(). Prints it if errors are logged. With
/// PIO_INTERNAL_ERROR prints it and aborts the job. `system`: null for the default error handling.
/// Collective if the failure is agreed.
int report(const System* system, const Failure& failure);

/// The error handling of systems that are made from now on, and of errors outside any system.
int& default_handler();
int& log_level();

[[nodiscard]] bool is_handler(int method);

}  // namespace collio::pio
