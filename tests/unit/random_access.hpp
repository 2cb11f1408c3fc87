// Random file accesses with the list of their bytes: a view's tiles, cut anywhere.
#pragma once

#include <memory>

#include "access/access.hpp"
#include "byte_list.hpp"

namespace collio::test {

struct KnownAccess {
  access::FileAccess access;
  Bytes bytes;  ///< file offset of every data byte, in order
};

/// A type of ascending runs, in a loop now and then, with room behind it.
inline access::TypeLayout random_type(Dice& dice) {
  core::Pattern pattern(packed(random_ascending_runs(dice, 40)));
  if (dice.chance(2)) pattern = pattern.repeated({dice.pick(2, 5), pattern.high() + dice.pick(0, 64)});
  const std::int64_t extent = pattern.high() + dice.pick(0, 100);
  return {pattern, 0, extent};
}

inline Bytes bytes_of(const core::Pattern& pattern) {
  Bytes out;
  core::Cursor cursor(pattern);
  for (core::Run run; cursor.next_bytes(std::int64_t{1} << 62, run);) append_bytes(out, run);
  return out;
}

/// Some bytes of a view of `type`, from anywhere to anywhere.
inline KnownAccess random_access(Dice& dice, const access::TypeLayout& type) {
  const access::View view{dice.pick(0, 5000), 1, std::make_shared<const access::TypeLayout>(type)};
  const std::int64_t position = dice.pick(0, 3 * type.size());
  const std::int64_t bytes = dice.chance(20) ? 0 : dice.pick(1, 4 * type.size());
  KnownAccess known{access::file_access(view, position, bytes), {}};
  const Bytes one = bytes_of(type.pattern);
  for (std::int64_t i = position; i < position + bytes; ++i)
    known.bytes.push_back(view.displacement + i / type.size() * type.extent +
                          one[static_cast<std::size_t>(i % type.size())]);
  return known;
}

}  // namespace collio::test
