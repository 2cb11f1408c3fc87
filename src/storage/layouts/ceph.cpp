// See ceph.hpp.
#include "storage/layouts/ceph.hpp"

#include <limits>

#include "storage/layouts/words.hpp"

namespace collio::storage {

namespace {

constexpr std::int64_t least_unit = 65536;  // CEPH_MIN_STRIPE_UNIT of include/ceph_fs.h
constexpr std::int64_t usual_object = 4 << 20, most_object = std::int64_t{1} << 32;

core::Error wrong(std::string_view value) {
  return {core::ErrorClass::other,
          "ceph.file.layout: not a layout: '" + std::string(value.substr(0, 200)) + "'"};
}

}  // namespace

core::Result<machine::Layout> parse_ceph(std::string_view value) {
  const auto unit = number_of(value, "stripe_unit"), count = number_of(value, "stripe_count"),
             object = number_of(value, "object_size");
  if (!unit || !count || !object || *unit < 1 || *count < 1 || *count > std::numeric_limits<int>::max() ||
      *object < *unit || *object % *unit != 0)
    return wrong(value);
  const auto pool = word_of(value, "pool");
  machine::Layout layout;
  layout.unit_bytes = *count == 1 ? *object : *unit;
  layout.count = *count == 1 ? 0 : static_cast<int>(*count);
  layout.source = "ceph.file.layout" + (pool ? ", pool " + std::string(*pool) : "");
  return layout;
}

core::Result<std::string> ceph_value(const machine::LayoutWish& wish) {
  if (!wish.targets.empty())
    return core::Error{core::ErrorClass::argument, "CephFS takes no list of targets"};
  const std::int64_t unit = wish.unit_bytes > 0 ? wish.unit_bytes : usual_object;
  if (unit % least_unit != 0 || unit >= most_object)
    return core::Error{core::ErrorClass::argument, "striping_unit=" + std::to_string(unit) +
                                                       ": CephFS takes multiples of 65536 below 4 GiB"};
  const std::int64_t object = (usual_object + unit - 1) / unit * unit;
  return "stripe_unit=" + std::to_string(unit) +
         " stripe_count=" + std::to_string(wish.count > 0 ? wish.count : 1) +
         " object_size=" + std::to_string(object);
}

}  // namespace collio::storage
