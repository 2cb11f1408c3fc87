// See library.hpp.
#include "mpiio/library/library.hpp"

namespace collio::mpiio {

const collio_calls* real = nullptr;
const collio_shim* shim = nullptr;

}  // namespace collio::mpiio
