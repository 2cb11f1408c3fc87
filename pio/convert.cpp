// See convert.hpp. Which numbers fit: netCDF's rule. NaN and infinity are numbers of any floating type.
#include "convert.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace collio::pio {

namespace {

template <class T>
constexpr T default_fill() {
  if constexpr (std::same_as<T, signed char>) return NC_FILL_BYTE;
  if constexpr (std::same_as<T, std::int16_t>) return NC_FILL_SHORT;
  if constexpr (std::same_as<T, std::int32_t>) return NC_FILL_INT;
  if constexpr (std::same_as<T, std::int64_t>) return NC_FILL_INT64;
  if constexpr (std::same_as<T, std::uint8_t>) return NC_FILL_UBYTE;
  if constexpr (std::same_as<T, std::uint16_t>) return NC_FILL_USHORT;
  if constexpr (std::same_as<T, std::uint32_t>) return NC_FILL_UINT;
  if constexpr (std::same_as<T, std::uint64_t>) return NC_FILL_UINT64;
  if constexpr (std::same_as<T, float>) return NC_FILL_FLOAT;
  if constexpr (std::same_as<T, double>) return NC_FILL_DOUBLE;
  return T{};
}

template <class To, class From>
bool fits(From value) {
  if constexpr (std::same_as<To, From>) {
    return true;
  } else if constexpr (std::integral<To> && std::integral<From>) {
    return std::in_range<To>(value);
  } else if constexpr (std::integral<To> && sizeof(To) < sizeof(double)) {
    const auto number = static_cast<double>(value);  // exact, as are the limits: 127.5 is no byte
    return number >= std::numeric_limits<To>::lowest() && number <= std::numeric_limits<To>::max();
  } else if constexpr (std::integral<To>) {
    // 2^digits is exact in any floating type, the largest integer may not be.
    constexpr From limit = static_cast<From>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * 2;
    return value < limit && value >= (std::unsigned_integral<To> ? From{0} : -limit);
  } else if constexpr (std::same_as<To, float> && std::same_as<From, double>) {
    return !std::isfinite(value) ||
           std::fabs(value) <= static_cast<double>(std::numeric_limits<float>::max());
  } else {
    return true;
  }
}

template <class T>
T byte_swapped(T value) {
  if constexpr (sizeof(T) == 1 || std::endian::native == std::endian::big)
    return value;
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(__builtin_bswap16(std::bit_cast<std::uint16_t>(value)));
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  else
    return std::bit_cast<T>(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
}

/// Which side is big-endian.
enum class Swap { input, output, none };

/// Neither side need be aligned.
template <class From, class To>
int convert(long long count, const void* from, void* to, To fill, Swap swap) {
  const char* in = static_cast<const char*>(from);
  char* out = static_cast<char*>(to);
  int code = NC_NOERR;
  for (long long i = 0; i < count; ++i, in += sizeof(From), out += sizeof(To)) {
    From value;
    std::memcpy(&value, in, sizeof value);
    if (swap == Swap::input) value = byte_swapped(value);
    To result = fill;
    if (fits<To>(value))
      result = static_cast<To>(value);
    else
      code = NC_ERANGE;
    if (swap == Swap::output) result = byte_swapped(result);
    std::memcpy(out, &result, sizeof result);
  }
  return code;
}

/// Calls `use` with a number of the type.
template <class Use>
int with_type(nc_type type, Use use) {
  switch (type) {
    case NC_BYTE:
      return use(static_cast<signed char>(0));
    case NC_CHAR:
      return use(static_cast<char>(0));
    case NC_SHORT:
      return use(std::int16_t{});
    case NC_INT:
      return use(std::int32_t{});
    case NC_FLOAT:
      return use(float{});
    case NC_DOUBLE:
      return use(double{});
    case NC_UBYTE:
      return use(std::uint8_t{});
    case NC_USHORT:
      return use(std::uint16_t{});
    case NC_UINT:
      return use(std::uint32_t{});
    case NC_INT64:
      return use(std::int64_t{});
    case NC_UINT64:
      return use(std::uint64_t{});
    default:
      return NC_EBADTYPE;
  }
}

/// Text goes to text alone; the compiler makes no other pairs.
template <class Use>
int with_types(Types types, Use use) {
  if (!convertible(types)) return NC_ECHAR;
  return with_type(types.file, [&](auto in_file) {
    return with_type(types.memory, [&](auto in_memory) {
      constexpr bool text = std::same_as<decltype(in_file), char>;
      if constexpr (text == std::same_as<decltype(in_memory), char>)
        return use(in_file, in_memory);
      else
        return NC_ECHAR;
    });
  });
}

}  // namespace

int type_bytes(nc_type type) {
  int bytes = 0;
  with_type(type, [&](auto number) { return bytes = static_cast<int>(sizeof number); });
  return bytes;
}

const char* type_name(nc_type type) {
  constexpr const char* names[] = {"none",       "PIO_BYTE",  "PIO_CHAR",   "PIO_SHORT",
                                   "PIO_INT",    "PIO_FLOAT", "PIO_DOUBLE", "PIO_UBYTE",
                                   "PIO_USHORT", "PIO_UINT",  "PIO_INT64",  "PIO_UINT64"};
  return type >= 0 && type <= NC_UINT64 ? names[type] : "unknown";
}

bool convertible(Types types) { return (types.file == NC_CHAR) == (types.memory == NC_CHAR); }

int to_file(Types types, long long count, const void* memory, void* file, const void* fill) {
  return with_types(types, [&](auto in_file, auto in_memory) {
    std::memcpy(&in_file, fill, sizeof in_file);
    return convert<decltype(in_memory)>(count, memory, file, in_file, Swap::output);
  });
}

int from_file(Types types, long long count, const void* file, void* memory) {
  return with_types(types, [&](auto in_file, auto in_memory) {
    return convert<decltype(in_file)>(count, file, memory, default_fill<decltype(in_memory)>(), Swap::input);
  });
}

int convert(Types types, long long count, const void* memory, void* file) {
  return with_types(types, [&](auto in_file, auto in_memory) {
    return convert<decltype(in_memory)>(count, memory, file, default_fill<decltype(in_file)>(), Swap::none);
  });
}

}  // namespace collio::pio
