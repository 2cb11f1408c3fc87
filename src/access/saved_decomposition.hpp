// A file with the decomposition of every rank: its bytes, and what they say. Pure: who reads and writes them
// is capi/saved.cpp.
//
//     header          104 bytes: what it is, version, ranks, elements of all maps, bytes of the file, shape
//     entry of map r   48 bytes, r = 0, 1, ...: where the map is, elements in it and in those before it
//     map r            a box (start and count by dimension), or numbers packed as core/index_runs.hpp says
//
// All numbers are little-endian. Header and entry end in a checksum of what is before it, and an entry has
// one of its map. An entry's checksum begins with the header's and with r, so that parts of different files,
// or entries in another order, do not pass for one.
#pragma once

#include <array>
#include <span>

#include "access/decomposition.hpp"

namespace collio::access {

inline constexpr std::int64_t saved_version = 1;
inline constexpr std::size_t saved_header_bytes = 104, saved_entry_bytes = 48;

struct SavedHeader {
  std::vector<std::int64_t> shape;
  std::int64_t ranks = 0;
  /// of all maps, those that are not in the array included
  std::int64_t elements = 0;
  /// of the file
  std::int64_t bytes = 0;
  std::uint64_t checksum = 0;

  [[nodiscard]] std::int64_t maps_begin() const noexcept {
    return static_cast<std::int64_t>(saved_header_bytes) +
           ranks * static_cast<std::int64_t>(saved_entry_bytes);
  }
};

struct SavedEntry {
  std::int64_t offset = 0, bytes = 0;
  /// elements of the maps before this one
  std::int64_t before = 0;
  std::int64_t elements = 0;
  /// of the map
  std::uint64_t checksum = 0;

  [[nodiscard]] std::int64_t after() const noexcept { return before + elements; }
};

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// A header's bytes; fills in its checksum.
[[nodiscard]] std::array<std::uint8_t, saved_header_bytes> pack_header(SavedHeader& header);
/// The header that a file of `file_bytes` bytes begins with. `bytes`: the file's first, up to
/// saved_header_bytes. Error `bad_file`: it is none, is damaged, or of another version; errors do not name
/// the file.
[[nodiscard]] core::Result<SavedHeader> read_header(ByteView bytes, std::int64_t file_bytes);

[[nodiscard]] std::array<std::uint8_t, saved_entry_bytes> pack_entry(const SavedHeader& header,
                                                                     std::int64_t index,
                                                                     const SavedEntry& entry);
/// The entry of map `index`. Error `bad_file`.
[[nodiscard]] core::Result<SavedEntry> read_entry(const SavedHeader& header, std::int64_t index,
                                                  ByteView bytes);

/// A rank's map. A box: O(dimensions). A map: O(elements), with eight bytes an element meanwhile.
[[nodiscard]] Bytes pack_map(const Decomposition& decomposition);
[[nodiscard]] std::uint64_t checksum_of(ByteView map);

/// A map's bytes, and what is expected of it.
struct SavedMap {
  std::int64_t index;
  SavedEntry entry;
  ByteView bytes;
};
/// Error `bad_file`: the map is damaged.
[[nodiscard]] core::Error check_map(const SavedMap& map);
/// The whole map as a decomposition. Error `bad_file`, also where the checksum is right.
[[nodiscard]] Decomposition::Made decomposition_of(const SavedHeader& header, const SavedMap& map);
/// Appends elements [from, to) of a map to `out`. Error `bad_file`. O(to - from), and what the map has bytes.
[[nodiscard]] core::Error append_elements(const SavedHeader& header, const SavedMap& map, std::int64_t from,
                                          std::int64_t to, std::vector<std::int64_t>& out);

/// "4 x 6".
[[nodiscard]] std::string text_of_shape(std::span<const std::int64_t> shape);

}  // namespace collio::access
