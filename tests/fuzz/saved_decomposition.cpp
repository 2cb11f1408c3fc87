// Fuzz target: files of saved decompositions (access/saved_decomposition.hpp). Checksums are made right, so
// that what they protect is looked at. What is accepted has the elements that its entry says, in the array.
#include "access/saved_decomposition.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collio::access;
  static_cast<void>(read_header({data, size}, static_cast<std::int64_t>(size)));
  if (size < 4) return 0;
  SavedHeader header{{data[0] % 16 + 1, data[1] % 16 + 1}, 1, 4096, 0, 0};
  const ByteView map(data + 4, size - 4);
  const SavedEntry entry{0, static_cast<std::int64_t>(map.size()), 0, data[2] + 8 * (data[3] % 64),
                         checksum_of(map)};
  const auto made = decomposition_of(header, {0, entry, map});
  if (!made) {
    if (made.error().message.empty()) std::abort();
    return 0;
  }
  const std::vector<std::int64_t> indices = made.value()->indices();
  if (static_cast<std::int64_t>(indices.size()) != entry.elements) std::abort();
  for (const std::int64_t index : indices)
    if (index < -1 || index >= header.shape[0] * header.shape[1]) std::abort();
  return 0;
}
