// Random datatype recipes that are valid where they are used (MPI 4.0, sections 5.1 and 14.3).
//
// File types: displacements never negative, never decreasing, multiples of the etype's extent, and (unless
// overlap is asked for) copies one extent apart never overlap. Memory types: any order, any bounds, but no
// byte twice.
#pragma once

#include "random.hpp"
#include "types.hpp"

namespace collio::differential {

struct TypeLimits {
  std::int64_t extent_bytes = 512;  ///< rough upper bound of the extent
  int depth = 2;                    ///< nesting levels above the etype
  bool overlap = false;             ///< the same byte may come twice (reads only)
  bool plain = false;  ///< lower bounds and first bytes at 0, copies in order: what MPI libraries get right
};

/// One to three elements, with or (unless `plain`) without holes.
[[nodiscard]] Type random_etype(Random& random, bool plain);
[[nodiscard]] Type random_file_type(Random& random, const Type& etype, const TypeLimits& limits);

/// The etype's data without its holes: what memory types are made of, so that both sides have the same
/// signature.
[[nodiscard]] Type packed_unit(const Type& etype);

/// One buffer argument: `count` copies of `type`.
struct MemoryShape {
  Type type;
  int count = 0;
};

struct MemoryLimits {
  std::int64_t bytes = 0;
  bool plain = false;  ///< as in TypeLimits
};

/// Covers at most `limits.bytes` bytes, a multiple of the unit's size; may be empty.
[[nodiscard]] MemoryShape random_memory(Random& random, const Type& unit, const MemoryLimits& limits);

}  // namespace collio::differential
