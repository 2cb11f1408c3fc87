// See convert.hpp. Which numbers fit: netCDF's rule. NaN and infinity are numbers of any floating type.
#include "netcdf/convert.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "netcdf/variable.hpp"

namespace collio::netcdf {

namespace {

template <class T>
constexpr T default_fill() {
  if constexpr (std::same_as<T, signed char>) return fill_byte;
  if constexpr (std::same_as<T, std::int16_t>) return fill_int16;
  if constexpr (std::same_as<T, std::int32_t>) return fill_int32;
  if constexpr (std::same_as<T, std::int64_t>) return fill_int64;
  if constexpr (std::same_as<T, std::uint8_t>) return fill_uint8;
  if constexpr (std::same_as<T, std::uint16_t>) return fill_uint16;
  if constexpr (std::same_as<T, std::uint32_t>) return fill_uint32;
  if constexpr (std::same_as<T, std::uint64_t>) return fill_uint64;
  if constexpr (std::same_as<T, float>) return fill_float32;
  if constexpr (std::same_as<T, double>) return fill_float64;
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
  int code = ok;
  for (long long i = 0; i < count; ++i, in += sizeof(From), out += sizeof(To)) {
    From value;
    std::memcpy(&value, in, sizeof value);
    if (swap == Swap::input) value = byte_swapped(value);
    To result = fill;
    if (fits<To>(value))
      result = static_cast<To>(value);
    else
      code = out_of_range;
    if (swap == Swap::output) result = byte_swapped(result);
    std::memcpy(out, &result, sizeof result);
  }
  return code;
}

/// Calls `use` with a number of the type.
template <class Use>
int with_type(int type, Use use) {
  switch (type) {
    case byte:
      return use(static_cast<signed char>(0));
    case text:
      return use(static_cast<char>(0));
    case int16:
      return use(std::int16_t{});
    case int32:
      return use(std::int32_t{});
    case float32:
      return use(float{});
    case float64:
      return use(double{});
    case uint8:
      return use(std::uint8_t{});
    case uint16:
      return use(std::uint16_t{});
    case uint32:
      return use(std::uint32_t{});
    case int64:
      return use(std::int64_t{});
    case uint64:
      return use(std::uint64_t{});
    default:
      return bad_type;
  }
}

/// Text goes to text alone; the compiler makes no other pairs.
template <class Use>
int with_types(Types types, Use use) {
  if (!convertible(types)) return not_text;
  return with_type(types.file, [&](auto in_file) {
    return with_type(types.memory, [&](auto in_memory) {
      constexpr bool text = std::same_as<decltype(in_file), char>;
      if constexpr (text == std::same_as<decltype(in_memory), char>)
        return use(in_file, in_memory);
      else
        return not_text;
    });
  });
}

}  // namespace

int type_bytes(int type) {
  int bytes = 0;
  with_type(type, [&](auto number) { return bytes = static_cast<int>(sizeof number); });
  return bytes;
}

bool Variable::same_as(int memory_type) const noexcept {
  // In formats without unsigned bytes, bytes are whatever the program takes them for.
  const bool bytes = type == byte && memory_type == uint8 && format < 5;
  return memory_type == type || bytes;
}

bool convertible(Types types) { return (types.file == text) == (types.memory == text); }

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

}  // namespace collio::netcdf
