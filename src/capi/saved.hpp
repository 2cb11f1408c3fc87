// Decompositions in files: saved by all ranks, and loaded by as many or by others.
#pragma once

#include "capi/library.h"

namespace collio::capi {

int save(int fortran_comm, const char* path, const collio_decomposition* decomposition);
int load(int fortran_comm, const char* path, const collio_shape* shape, int deal,
         collio_decomposition** decomposition);

}  // namespace collio::capi
