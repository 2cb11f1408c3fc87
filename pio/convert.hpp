/// Numbers of a program as those of a file, and back: in another type, and big-endian.
#pragma once

#include <bit>
#include <concepts>

#include "pio.h"

namespace collio::pio {

/// Bytes of an element; 0: no type of classic files.
[[nodiscard]] int type_bytes(nc_type type);
[[nodiscard]] const char* type_name(nc_type type);

/// Types of the same numbers in the file and in memory.
struct Types {
  nc_type file, memory;
};

/// Whether numbers of one can become those of the other: text is no number.
[[nodiscard]] bool convertible(Types types);

/// `count` numbers at `memory` become those at `file`. Numbers that do not fit become `fill`, a number of the
/// file's type in the machine's byte order, and give NC_ERANGE. O(count).
[[nodiscard]] int to_file(Types types, long long count, const void* memory, void* file, const void* fill);

/// The reverse. Numbers that do not fit become the memory type's own fill value of netCDF.
[[nodiscard]] int from_file(Types types, long long count, const void* file, void* memory);

/// Numbers in the machine's byte order on both sides. Those that do not fit become netCDF's fill value.
[[nodiscard]] int convert(Types types, long long count, const void* memory, void* file);

/// The type of a number in C.
template <class T>
constexpr nc_type type_of() {
  if constexpr (std::floating_point<T>) return sizeof(T) == 4 ? NC_FLOAT : NC_DOUBLE;
  constexpr nc_type integers[2][4] = {{NC_UBYTE, NC_USHORT, NC_UINT, NC_UINT64},
                                      {NC_BYTE, NC_SHORT, NC_INT, NC_INT64}};
  return integers[std::signed_integral<T>][std::bit_width(sizeof(T)) - 1];
}

}  // namespace collio::pio
