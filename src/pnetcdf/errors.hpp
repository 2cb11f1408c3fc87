// PnetCDF's codes that collio returns without asking it.
#pragma once

#include "netcdf/types.hpp"

namespace collio::pnetcdf {

enum Code : int {
  no_permission = -37,
  failed_read = -205,
  failed_write = -206,
  no_such_request = -212,
  null_buffer = -215,
  buffer_is_attached = -216,
  no_buffer = -217,
  buffer_in_use = -218,
  buffer_too_small = -219,
  no_space = -224,
  quota = -225,
  pending_at_close = -236,
  null_padding = -134,
  other_open_mode = -251,
  other_create_mode = -273
};

/// The code for one of enum collio_code.
[[nodiscard]] int code_of(int collio_code, bool reads);

}  // namespace collio::pnetcdf
