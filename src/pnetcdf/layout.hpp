// Where the variables of a file lie: what PnetCDF says, asked once after each definition.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "netcdf/variable.hpp"

namespace collio::pnetcdf {

using netcdf::Place;
using netcdf::Variable;

class Layout {
 public:
  explicit Layout(int ncid);
  /// Null: there is no such variable. Asks PnetCDF at the first time. O(1).
  [[nodiscard]] const Variable* variable(int varid);
  /// Whether it has a dimension of records. Asks PnetCDF.
  [[nodiscard]] bool has_records() const;
  /// Records that there are now. Asks PnetCDF.
  [[nodiscard]] std::int64_t records() const;
  [[nodiscard]] int format() const noexcept { return format_; }
  /// Forgets all: definitions follow, or have followed. While they do, offsets are not known: variables begin
  /// at 0, and their records follow each other.
  void forget(bool defining);

 private:
  [[nodiscard]] std::optional<Variable> ask(int varid) const;

  int ncid_, format_ = 1;
  bool defining_ = false;
  std::map<int, Variable> known_;
};

}  // namespace collio::pnetcdf
