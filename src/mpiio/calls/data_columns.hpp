// What the columns of data_calls.def are in a DataCall.
#pragma once

#include "mpiio/calls/data_calls.hpp"

#define COLLIO_OFFSET_here 0
#define COLLIO_OFFSET_at offset
#define COLLIO_STATUS_blocking status
#define COLLIO_STATUS_request nullptr
#define COLLIO_STATUS_begin nullptr
#define COLLIO_REQUEST_blocking
#define COLLIO_REQUEST_request , request
#define COLLIO_REQUEST_begin

/// Of the parameters that COLLIO_PARAMETERS names.
#define COLLIO_DATA_CALL(way, place, ending)                                                             \
  DataCall {                                                                                             \
    file, policy::Direction::way, Place::place, COLLIO_OFFSET_##place, const_cast<void*>(buffer), count, \
        type, COLLIO_STATUS_##ending                                                                     \
  }
