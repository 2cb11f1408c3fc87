// PnetCDF's functions that put and get data, wait for them, or cancel them, on a file that collio serves.
// Each returns PnetCDF's code.
#pragma once

#include "pnetcdf/file.hpp"

namespace collio::pnetcdf {

/// Collective where the call's function is.
[[nodiscard]] int data_call(File& file, const collio_pnetcdf_call& call);

/// The same of several variables. False: they are PnetCDF's to refuse.
[[nodiscard]] bool several_calls(File& file, const collio_pnetcdf_calls& calls, int& code);

/// What ncmpi_wait_all() and its kin name.
struct Named {
  /// or one of the numbers for all
  int count;
  int* ids;
  int* statuses;
};
constexpr int all_requests = -1, all_gets = -2, all_puts = -3;

/// Collective.
[[nodiscard]] int wait_together(File& file, const Named& named);
/// Not collective, as is the next.
[[nodiscard]] int wait_alone(File& file, const Named& named);
[[nodiscard]] int cancel(File& file, const Named& named);

}  // namespace collio::pnetcdf
