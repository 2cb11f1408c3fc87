// Decompositions and variables, and what a rank puts and asks for.
#pragma once

#include "capi/library.h"
#include "core/result.hpp"

namespace collio::capi {

int make_box(int dims, const int64_t* shape, const int64_t* start, const int64_t* count,
             collio_decomposition** decomposition);
int make_map(int dims, const int64_t* shape, int64_t elements, const int64_t* map,
             collio_decomposition** decomposition);
int free_decomposition(collio_decomposition** decomposition);
int inquire(const collio_decomposition* decomposition, int* dims, int64_t* shape, int64_t* elements);
int indices(const collio_decomposition* decomposition, int64_t* map);
struct VariableRequest {
  const collio_decomposition* decomposition;
  int64_t element_bytes, offset, record_bytes;
};
int define(collio_file* file, const VariableRequest& request, collio_variable** variable);
int undefine(collio_variable** variable);
int put(collio_variable* variable, int64_t record, const void* data, const collio_layout* layout);
int get(collio_variable* variable, int64_t record, void* data, const collio_layout* layout);
int cancel(collio_file* file);

/// Byte of the file at which a record of the array begins. Not collective.
[[nodiscard]] core::Result<std::int64_t> offset_of(const collio_variable& v, std::int64_t record);

}  // namespace collio::capi
