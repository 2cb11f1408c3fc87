// MPI datatypes as patterns.
//
// A datatype's constructor tree (MPI_Type_get_envelope / get_contents) is turned into loops around a packed
// list once, and kept as an attribute on the datatype: the next call with it costs one look-up. Freeing the
// datatype frees the attribute; a shared pointer keeps the layout alive for its users.
#pragma once

#include <mpi.h>

#include <memory>

#include "core/pattern.hpp"
#include "core/result.hpp"

namespace collio::access {

/// A datatype: its bytes, and where the next instance starts. Units: bytes.
struct TypeLayout {
  /// relative to the address or displacement the type is used with
  core::Pattern pattern;
  std::int64_t lower_bound = 0;
  std::int64_t extent = 0;
  [[nodiscard]] std::int64_t size() const noexcept { return pattern.bytes(); }
  /// Any number of instances is one piece.
  [[nodiscard]] bool straight() const noexcept { return pattern.contiguous() && extent == size(); }
};

using Layout = std::shared_ptr<const TypeLayout>;

/// Layout of `type`. Not collective. Thread-safe. Error `type` for constructors this MPI cannot describe.
/// Cost: O(constructor nodes) for regular types, O(blocks) once for irregular ones.
[[nodiscard]] core::Result<Layout> layout_of(MPI_Datatype type);

}  // namespace collio::access
