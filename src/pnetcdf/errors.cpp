// See errors.hpp.
#include "pnetcdf/errors.hpp"

#include "capi/library.h"

namespace collio::pnetcdf {

int code_of(int collio_code, bool reads) {
  switch (collio_code) {
    case COLLIO_OK:
      return netcdf::ok;
    case COLLIO_ERR_NO_MEMORY:
      return netcdf::no_memory;
    case COLLIO_ERR_NO_SPACE:
      return no_space;
    case COLLIO_ERR_QUOTA:
      return quota;
    case COLLIO_ERR_READ_ONLY:
      return no_permission;
    default:
      return reads ? failed_read : failed_write;
  }
}

}  // namespace collio::pnetcdf
