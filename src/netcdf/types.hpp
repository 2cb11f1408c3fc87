// The types of numbers in netCDF's classic formats, and their default fill values. Numbers and values are
// netCDF's own.
#pragma once

#include <cstdint>

namespace collio::netcdf {

enum Type : int {
  none = 0,
  byte = 1,
  text = 2,
  int16 = 3,
  int32 = 4,
  float32 = 5,
  float64 = 6,
  uint8 = 7,
  uint16 = 8,
  uint32 = 9,
  int64 = 10,
  uint64 = 11
};

/// Codes of netCDF's and PnetCDF's.
enum Code : int {
  ok = 0,
  invalid = -36,
  bad_type = -45,
  not_text = -56,
  out_of_range = -60,
  no_memory = -61
};

constexpr signed char fill_byte = -127;
constexpr std::int16_t fill_int16 = -32767;
constexpr std::int32_t fill_int32 = -2147483647;
constexpr float fill_float32 = 9.9692099683868690e+36F;
constexpr double fill_float64 = 9.9692099683868690e+36;
constexpr std::uint8_t fill_uint8 = 255;
constexpr std::uint16_t fill_uint16 = 65535;
constexpr std::uint32_t fill_uint32 = 4294967295U;
constexpr std::int64_t fill_int64 = -9223372036854775806LL;
constexpr std::uint64_t fill_uint64 = 18446744073709551614ULL;

}  // namespace collio::netcdf
