// How a file lies on storage targets: stripes of one length, dealt to them in turn.
//
// File systems that stripe files say so in their own ways (storage/layouts). What decisions need of it is the
// same for all: where stripes begin, and which stripes share a target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace collio::machine {

/// Byte b of the file lies in stripe b / unit_bytes, stripe s on targets[s mod count].
struct Layout {
  /// of a stripe, or of a block that clients lock whole; 0: nothing is known
  std::int64_t unit_bytes = 0;
  /// targets that stripes are dealt to; 0: not known, or not dealt in turn
  int count = 0;
  /// their numbers in the file system, `count` of them; empty: not known
  std::vector<int> targets;
  /// who said so; where nothing is known, why
  std::string source;

  [[nodiscard]] bool known() const noexcept { return unit_bytes > 0; }
  [[nodiscard]] bool dealt() const noexcept { return known() && count > 0; }
};

/// What a new file's layout shall be. 0: the file system's choice.
struct LayoutWish {
  std::int64_t unit_bytes = 0;
  int count = 0;
  /// on these, `count` of them; empty: on any
  std::vector<int> targets;

  [[nodiscard]] bool any() const noexcept { return unit_bytes > 0 || count > 0; }
};

}  // namespace collio::machine
