// Fuzz target: manifests and placeholders (storage/subfile_format/manifest.h), with the checksum that they
// have and with the right one. What is read is what its values give.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "storage/subfile_format/manifest.h"
#include "storage/subfiles/manifest.hpp"

namespace {

void read_manifest(const std::string& text) {
  using namespace collio::storage;
  const auto manifest = parse_manifest(text, "m");
  if (!manifest) return;
  if (text_of(manifest.value()) != text) std::abort();
  const SubfileLayout& layout = manifest.value().layout;
  const std::int64_t bytes = manifest.value().file_bytes;
  if (bytes > 1 && bytes < 1 << 20) {
    const SubfilePart last = layout.first_part({bytes - 1, 1});
    const std::int64_t share = layout.shares(bytes)(last.subfile);
    if (last.extent.offset != share - 1 || layout.file_bytes({last.subfile, {0, share}}) != bytes)
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_manifest(text);
  const std::string content = text.substr(0, text.rfind("checksum "));
  read_manifest(content + "checksum " +
                collio::storage::hex_text(collio_checksum(content.data(), content.size())) + "\n");
  const auto placeholder = collio::storage::parse_placeholder(text, "f");
  if (placeholder && placeholder.value() && !text.starts_with(placeholder.value()->head())) std::abort();
  return 0;
}
