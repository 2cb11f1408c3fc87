/// What a call of distributed arrays names: a variable, its frame and a decomposition, found and checked
/// alike on all ranks before anything moves.
#pragma once

#include <functional>
#include <optional>

#include "convert.hpp"
#include "file.hpp"

namespace collio::pio {

/// What a frame is to collio: a record of a variable that has records, or a slice of one that has a dimension
/// more than the decomposition. Other variables have one place.
struct Place {
  long long record = 0;
  long long record_bytes = 0;
};

struct Access {
  const char* function;
  File& file;
  const Decomposition& elements;
  int varid;
  /// negative: none
  long long frame;
  Place place = {};

  [[nodiscard]] const Variable& variable() const {
    return file.layout.variables[static_cast<std::size_t>(varid)];
  }
  [[nodiscard]] Types types() const;
  [[nodiscard]] std::string name() const {
    return std::string(function) + ": variable " + std::to_string(varid);
  }
};

struct Target {
  const char* function;
  int ncid, varid, ioid;
  /// none: the one that was set
  std::optional<long long> frame = {};
  /// without a frame from record 0, as PIO reads
  bool reads = false;
};

/// Sets the target's frame for calls to come. It has one. A negative one, as models give to variables without
/// records, is none.
[[nodiscard]] Failure set_frame(File& file, const Target& t);

/// Whether there are such a variable and such a decomposition, and they fit.
[[nodiscard]] Failure check(const File& file, const Target& t);

/// Finds what the call names and `checks` it on this rank, and agrees: a failure of one rank is one of all,
/// and so is what ranks name differently. Collective.
[[nodiscard]] Failure agree_on(File& file, const Target& t, std::optional<Access>& access,
                               const std::function<Failure(const Access&)>& checks);

}  // namespace collio::pio
