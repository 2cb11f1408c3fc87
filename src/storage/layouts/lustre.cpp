// See lustre.hpp.
#include "storage/layouts/lustre.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace collio::storage {

namespace {

constexpr std::uint32_t magic_v1 = 0x0BD10BD0, magic_v3 = 0x0BD30BD0, magic_composite = 0x0BD60BD0,
                        magic_specific = 0x0BD50BD0, magic_foreign = 0x0BD70BD0;
constexpr std::uint32_t pattern_raid0 = 0x001, pattern_on_metadata_target = 0x100;
constexpr std::uint32_t stale = 0x1,
                        extension = 0x40;          // LCME_FL_STALE, LCME_FL_EXTENSION: no stripes of its own
constexpr std::uint32_t mirror_mask = 0x7fff0000;  // of lcme_id
constexpr std::int64_t all_targets = 0xffff;       // LOV_ALL_STRIPES, before the file has objects
constexpr std::uint16_t any_target = 0xffff;       // lmm_stripe_offset
constexpr std::size_t header_v1 = 32, header_v3 = 48, object_bytes = 24, object_index = 20;
constexpr std::size_t header_composite = 32, entry_bytes = 48;

core::Error wrong_lov(const std::string& what) { return {core::ErrorClass::other, "lustre.lov: " + what}; }

/// The value's bytes, lowest first, as x86 and ARM clients write them. No byte outside of the value is read.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] bool has(std::size_t offset, std::size_t count) const noexcept {
    return offset <= size() && count <= size() - offset;
  }
  [[nodiscard]] Bytes part(std::size_t offset, std::size_t count) const {
    return Bytes(bytes_.subspan(offset, count));
  }
  /// A number of `count` bytes; they are there.
  [[nodiscard]] std::uint64_t number(std::size_t offset, std::size_t count) const {
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;)
      value = value << 8 | std::to_integer<std::uint64_t>(bytes_[offset + i]);
    return value;
  }
  [[nodiscard]] std::uint32_t word(std::size_t offset) const {
    return static_cast<std::uint32_t>(number(offset, 4));
  }

 private:
  std::span<const std::byte> bytes_;
};

core::Result<machine::Layout> parse_plain(const Bytes& bytes) {
  const bool v3 = bytes.word(0) == magic_v3;
  const std::size_t header = v3 ? header_v3 : header_v1;
  if (!bytes.has(0, header)) return wrong_lov("truncated at " + std::to_string(bytes.size()) + " bytes");
  const std::uint32_t pattern = bytes.word(4);
  if ((pattern & pattern_on_metadata_target) != 0)
    return wrong_lov("the file's data lies on its metadata target");
  if ((pattern & pattern_raid0) == 0 && (pattern & 0xffff) != 0)
    return wrong_lov("pattern " + std::to_string(pattern) + " has no stripes");
  machine::Layout layout;
  layout.unit_bytes = bytes.word(24);
  const auto count = static_cast<std::int64_t>(bytes.number(28, 2));
  if (layout.unit_bytes == 0) return wrong_lov("stripes of 0 bytes");
  if (count == 0) return wrong_lov("0 stripes");
  if (count != all_targets) layout.count = static_cast<int>(count);
  layout.source = v3 ? "lustre.lov v3" : "lustre.lov v1";
  if (bytes.size() == header) return layout;  // no objects yet
  if (count == all_targets || !bytes.has(header, static_cast<std::size_t>(count) * object_bytes))
    return wrong_lov("truncated: " + std::to_string(bytes.size()) + " bytes for " + std::to_string(count) +
                     " stripes");
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::uint32_t index = bytes.word(header + i * object_bytes + object_index);
    if (index > static_cast<std::uint32_t>(std::numeric_limits<int>::max())) {
      layout.targets.clear();
      return layout;
    }
    layout.targets.push_back(static_cast<int>(index));
  }
  return layout;
}

core::Result<machine::Layout> parse_composite(const Bytes& bytes) {
  if (!bytes.has(0, header_composite))
    return wrong_lov("truncated at " + std::to_string(bytes.size()) + " bytes");
  const auto entries = static_cast<std::size_t>(bytes.number(14, 2));
  if (!bytes.has(header_composite, entries * entry_bytes))
    return wrong_lov("truncated: " + std::to_string(bytes.size()) + " bytes for " + std::to_string(entries) +
                     " components");
  std::size_t last = 0;
  std::uint64_t last_begin = 0;
  std::uint32_t mirror = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = header_composite + i * entry_bytes;
    if ((bytes.word(at + 4) & (stale | extension)) != 0) continue;
    const std::uint32_t its_mirror = bytes.word(at) & mirror_mask;
    const std::uint64_t begin = bytes.number(at + 8, 8);
    if (last == 0) mirror = its_mirror;
    if (its_mirror != mirror || (last != 0 && begin < last_begin)) continue;
    last = at, last_begin = begin;
  }
  if (last == 0) return wrong_lov("no component is in use");
  const auto offset = static_cast<std::size_t>(bytes.word(last + 24)),
             size = static_cast<std::size_t>(bytes.word(last + 28));
  if (!bytes.has(offset, size) || size < header_v1)
    return wrong_lov("a component of " + std::to_string(size) + " bytes at " + std::to_string(offset) +
                     " in " + std::to_string(bytes.size()));
  const Bytes part = bytes.part(offset, size);
  if (part.word(0) != magic_v1 && part.word(0) != magic_v3)
    return wrong_lov("a component of an unknown kind");
  auto layout = parse_plain(part);
  if (layout) layout.value().source += ", component from byte " + std::to_string(last_begin) + " on";
  return layout;
}

}  // namespace

core::Result<machine::Layout> parse_lustre(std::span<const std::byte> value) {
  const Bytes bytes(value);
  if (!bytes.has(0, header_v1)) return wrong_lov("truncated at " + std::to_string(bytes.size()) + " bytes");
  switch (bytes.word(0)) {
    case magic_v1:
    case magic_v3:
      return parse_plain(bytes);
    case magic_composite:
      return parse_composite(bytes);
    case magic_foreign:
      return wrong_lov("the file's data lies elsewhere (a foreign layout)");
    default:
      return wrong_lov("unknown magic number " + std::to_string(bytes.word(0)));
  }
}

core::Result<std::vector<std::byte>> lustre_value(const machine::LayoutWish& wish) {
  if (wish.count > all_targets)
    return core::Error{core::ErrorClass::argument, "striping_factor=" + std::to_string(wish.count) +
                                                       ": Lustre takes 1 to " + std::to_string(all_targets) +
                                                       ", which means all targets"};
  const bool listed = !wish.targets.empty();
  std::vector<std::byte> value(listed ? header_v3 + object_bytes * wish.targets.size() : header_v1);
  const auto put = [&value](std::size_t offset, std::uint64_t number, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, number >>= 8) value[offset + i] = static_cast<std::byte>(number);
  };
  put(0, listed ? magic_specific : magic_v1, 4);
  put(4, pattern_raid0, 4);
  put(24, static_cast<std::uint64_t>(wish.unit_bytes), 4);
  put(28, static_cast<std::uint64_t>(wish.count), 2);
  put(30, listed ? static_cast<std::uint64_t>(wish.targets.front()) : any_target, 2);
  for (std::size_t i = 0; i < wish.targets.size(); ++i)
    put(header_v3 + object_bytes * i + 20, static_cast<std::uint64_t>(wish.targets[i]), 4);
  return value;
}

}  // namespace collio::storage
