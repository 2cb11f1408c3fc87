/// Numbers of a program as those of a file, and back: in another type, and big-endian.
#pragma once

#include <bit>
#include <concepts>

#include "netcdf/types.hpp"

namespace collio::netcdf {

/// Bytes of an element; 0: no type of classic files.
[[nodiscard]] int type_bytes(int type);

/// Types of the same numbers in the file and in memory.
struct Types {
  int file, memory;
};

/// Whether numbers of one can become those of the other: text is no number.
[[nodiscard]] bool convertible(Types types);

/// `count` numbers at `memory` become those at `file`. Numbers that do not fit become `fill`, a number of the
/// file's type in the machine's byte order, and give out_of_range. O(count).
[[nodiscard]] int to_file(Types types, long long count, const void* memory, void* file, const void* fill);

/// The reverse. Numbers that do not fit become the memory type's own fill value of netCDF.
[[nodiscard]] int from_file(Types types, long long count, const void* file, void* memory);

/// Numbers in the machine's byte order on both sides. Those that do not fit become netCDF's fill value.
[[nodiscard]] int convert(Types types, long long count, const void* memory, void* file);

/// The type of a number in C.
template <class T>
constexpr int type_of() {
  if constexpr (std::floating_point<T>) return sizeof(T) == 4 ? float32 : float64;
  constexpr int integers[2][4] = {{uint8, uint16, uint32, uint64}, {byte, int16, int32, int64}};
  return integers[std::signed_integral<T>][std::bit_width(sizeof(T)) - 1];
}

}  // namespace collio::netcdf
