// See packed_parts.hpp.
#include "engine/two_layer/packed_parts.hpp"

#include <cstring>

namespace collio::engine {

void PackedParts::describe(transport::MessageHeader& header) const noexcept {
  for_each([&](const PackedPart& part, const std::byte*) {
    ++header.parts;
    header.items += part.head.items;
    header.extents_bytes += static_cast<std::int64_t>(sizeof part.head) + part.head.list_bytes +
                            (with_data_ ? part.head.data_bytes : 0);
  });
}

void PackedParts::copy(std::byte* out) const noexcept {
  const auto put = [&out](const void* from, std::int64_t bytes) {
    std::memcpy(out, from, static_cast<std::size_t>(bytes));
    out += bytes;
  };
  for_each([&](const PackedPart& part, const std::byte* at) {
    put(&part.head, sizeof part.head);
    put(at + sizeof part, part.head.list_bytes);
    if (with_data_) put(at + part.room - part.head.data_bytes, part.head.data_bytes);
  });
}

}  // namespace collio::engine
