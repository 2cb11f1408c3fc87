// A variable of a classic file, and where it lies.
#pragma once

#include <cstdint>
#include <vector>

namespace collio::netcdf {

/// Lengths and distances in bytes. Record variables have one dimension of records, the first.
struct Variable {
  int id = -1;
  /// of enum Type
  int type = 0;
  int element_bytes = 0;
  bool records = false;
  /// in elements; that of the records is 0
  std::vector<std::int64_t> shape;
  /// from one index to the next, by dimension
  std::vector<std::int64_t> step;
  /// its first byte in the file
  std::int64_t begin = 0;
  /// that it has in one record; without records all
  std::int64_t record_bytes = 0;
  /// 1, 2 or 5, as in CDF-1
  int format = 1;

  /// Its elements have as many bytes in memory as in the file, with the bytes of each in another order at
  /// most.
  [[nodiscard]] bool same_as(int memory_type) const noexcept;
};

/// Where a variable lies: what a definition may change.
struct Place {
  std::int64_t begin = 0;
  /// from one record to the next; 0: there are none
  std::int64_t record_step = 0;

  [[nodiscard]] static Place of(const Variable& v) noexcept { return {v.begin, v.records ? v.step[0] : 0}; }
  friend bool operator==(const Place&, const Place&) = default;
};

}  // namespace collio::netcdf
