// Stands in for uring.cpp where liburing was not there when collio was built.
#include "storage/kinds.hpp"

namespace collio::storage {

StorageOrReason make_uring(Descriptors&&, bool) {
  return {nullptr, "io_uring: collio was built without liburing"};
}

}  // namespace collio::storage
