// What the first rank decides about a file that is opened: the crew, and the line or the place among those
// that borrow lines.
#pragma once

#include <array>
#include <cstdint>

namespace collio::engine {

/// No other process's crew has it. 0: none.
using CrewId = std::array<std::uint64_t, 2>;

struct Ticket {
  /// none: the first rank has none
  CrewId crew{};
  /// for a new one
  CrewId fresh{};
  /// the file borrows lines
  std::int32_t shares = 0;
  /// the line, or the switchboard
  std::int32_t made_now = 1;
  /// number of the line, or of the switchboard
  std::int32_t place = 0;
  /// among the files that borrow
  std::int32_t number = 0;
  /// the first rank has met these ranks before
  std::int32_t known = 0;
};

}  // namespace collio::engine
