// See saved_decomposition.hpp.
#include "access/saved_decomposition.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/content_hash.hpp"
#include "core/index.hpp"
#include "core/index_runs.hpp"
#include "core/varint.hpp"

namespace collio::access {

namespace {

using core::Error;
using core::ErrorClass;

constexpr char mark[] = "COLLIODC";
constexpr std::size_t mark_bytes = 8;
enum class Kind : std::uint8_t { numbers, box };

Error bad(std::string text) { return {ErrorClass::bad_file, std::move(text)}; }

std::string hex(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

Error damaged(const std::string& what, std::uint64_t found, std::uint64_t expected) {
  return bad(what + " is damaged: its checksum is " + hex(found) + "; allowed: " + hex(expected));
}

/// Numbers one after the other in bytes.
class Writer {
 public:
  explicit Writer(std::uint8_t* at) : at_(at) {}
  template <class T>
  void put(T number) {
    std::memcpy(at_, &number, sizeof number);
    at_ += sizeof number;
  }

 private:
  std::uint8_t* at_;
};

class Reader {
 public:
  explicit Reader(const std::uint8_t* at) : at_(at) {}
  template <class T>
  T get() {
    T number;
    std::memcpy(&number, at_, sizeof number);
    at_ += sizeof number;
    return number;
  }

 private:
  const std::uint8_t* at_;
};

std::uint64_t checksum_of_entry(const SavedHeader& header, std::int64_t index, ByteView bytes) {
  const std::uint64_t place = core::hash_step(header.checksum, static_cast<std::uint64_t>(index));
  return core::hash_step(place, core::content_hash(bytes.first(saved_entry_bytes - 8)));
}

/// -1: the shape is none.
std::int64_t array_elements(const SavedHeader& header) {
  std::int64_t elements = 1;
  for (const std::int64_t length : header.shape)
    if (length < 0 || __builtin_mul_overflow(elements, length, &elements)) return -1;
  return elements;
}

/// What a header with a right checksum may say.
Error check(const SavedHeader& header, std::uint32_t dims, std::int64_t file_bytes) {
  if (header.bytes != file_bytes)
    return bad("it has " + std::to_string(file_bytes) + " bytes; allowed: " + std::to_string(header.bytes) +
               ", as its header says. It was cut short, or something was appended");
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (dims < 1 || dims > Decomposition::most_dims || header.ranks < 1 || header.ranks > most / 1024 ||
      header.elements < 0 || header.elements > most || header.maps_begin() > header.bytes ||
      array_elements(header) < 0)
    return bad("its header has a right checksum but wrong numbers: " + std::to_string(dims) +
               " dimensions, " + std::to_string(header.ranks) + " ranks, " + std::to_string(header.elements) +
               " elements");
  return {};
}

std::string name_of(std::int64_t index) { return "the map of rank " + std::to_string(index); }

Error wrong_map(const SavedMap& map) {
  return bad(name_of(map.index) + " has a right checksum but is no map of " +
             std::to_string(map.entry.elements) + " elements of the array");
}

/// Nothing: the map is no box.
std::optional<Decomposition::Box> box_of(const SavedHeader& header, const SavedMap& map) {
  const std::size_t dims = header.shape.size();
  if (map.bytes.size() != 1 + 16 * dims || map.bytes[0] != static_cast<std::uint8_t>(Kind::box)) return {};
  Reader from(map.bytes.data() + 1);
  Decomposition::Box box;
  for (std::size_t d = 0; d < dims; ++d) box.start.push_back(from.get<std::int64_t>());
  for (std::size_t d = 0; d < dims; ++d) box.count.push_back(from.get<std::int64_t>());
  return box;
}

/// A box that Decomposition::box() accepts, as loops.
core::IndexItem item_of(const SavedHeader& header, const Decomposition::Box& box) {
  core::IndexItem item;
  std::int64_t stride = 1;
  for (std::size_t d = header.shape.size(); d-- > 0; stride *= header.shape[d]) {
    item.start += box.start[d] * stride;
    item.loop[core::at(item.loops++)] = {box.count[d], stride};
  }
  return item;
}

}  // namespace

std::array<std::uint8_t, saved_header_bytes> pack_header(SavedHeader& header) {
  std::array<std::uint8_t, saved_header_bytes> bytes{};
  std::memcpy(bytes.data(), mark, mark_bytes);
  Writer to(bytes.data() + mark_bytes);
  to.put(static_cast<std::uint32_t>(saved_version));
  to.put(static_cast<std::uint32_t>(header.shape.size()));
  to.put(header.ranks);
  to.put(header.elements);
  to.put(header.bytes);
  for (std::size_t d = 0; d < Decomposition::most_dims; ++d)
    to.put(d < header.shape.size() ? header.shape[d] : std::int64_t{0});
  header.checksum = core::content_hash(ByteView(bytes).first(saved_header_bytes - 8));
  to.put(header.checksum);
  return bytes;
}

core::Result<SavedHeader> read_header(ByteView bytes, std::int64_t file_bytes) {
  if (bytes.size() < saved_header_bytes)
    return bad("it has " + std::to_string(file_bytes) + " bytes; a saved decomposition has " +
               std::to_string(saved_header_bytes) + " and more");
  bytes = bytes.first(saved_header_bytes);
  if (std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; }))
    return bad("its header is empty: saving it did not come to its end");
  if (std::memcmp(bytes.data(), mark, mark_bytes) != 0)
    return bad(std::string("it is no saved decomposition, which begins with \"") + mark + "\"");
  Reader from(bytes.data() + mark_bytes);
  const auto version = from.get<std::uint32_t>();
  if (version != saved_version)
    return bad("its version is " + std::to_string(version) + "; allowed: " + std::to_string(saved_version));
  const auto dims = from.get<std::uint32_t>();
  SavedHeader header;
  header.ranks = from.get<std::int64_t>();
  header.elements = from.get<std::int64_t>();
  header.bytes = from.get<std::int64_t>();
  for (std::size_t d = 0; d < Decomposition::most_dims; ++d)
    if (const auto length = from.get<std::int64_t>(); d < dims) header.shape.push_back(length);
  header.checksum = from.get<std::uint64_t>();
  if (const auto sum = core::content_hash(bytes.first(saved_header_bytes - 8)); sum != header.checksum)
    return damaged("its header", sum, header.checksum);
  if (Error error = check(header, dims, file_bytes); !error.ok()) return error;
  return header;
}

std::array<std::uint8_t, saved_entry_bytes> pack_entry(const SavedHeader& header, std::int64_t index,
                                                       const SavedEntry& entry) {
  std::array<std::uint8_t, saved_entry_bytes> bytes{};
  Writer to(bytes.data());
  to.put(entry.offset);
  to.put(entry.bytes);
  to.put(entry.before);
  to.put(entry.elements);
  to.put(entry.checksum);
  to.put(checksum_of_entry(header, index, bytes));
  return bytes;
}

core::Result<SavedEntry> read_entry(const SavedHeader& header, std::int64_t index, ByteView bytes) {
  Reader from(bytes.data());
  SavedEntry entry;
  entry.offset = from.get<std::int64_t>();
  entry.bytes = from.get<std::int64_t>();
  entry.before = from.get<std::int64_t>();
  entry.elements = from.get<std::int64_t>();
  entry.checksum = from.get<std::uint64_t>();
  const auto told = from.get<std::uint64_t>(), sum = checksum_of_entry(header, index, bytes);
  if (sum != told) return damaged("the entry of rank " + std::to_string(index), sum, told);
  if (entry.offset < header.maps_begin() || entry.offset > header.bytes || entry.bytes < 1 ||
      entry.bytes > header.bytes - entry.offset || entry.before < 0 || entry.before > header.elements ||
      entry.elements < 0 || entry.elements > header.elements - entry.before)
    return bad("the entry of rank " + std::to_string(index) +
               " has a right checksum but is outside of the file");
  return entry;
}

Bytes pack_map(const Decomposition& decomposition) {
  if (const Decomposition::Box* box = decomposition.as_box()) {
    Bytes bytes(1 + 16 * box->start.size(), static_cast<std::uint8_t>(Kind::box));
    Writer to(bytes.data() + 1);
    for (const auto* numbers : {&box->start, &box->count})
      for (const std::int64_t number : *numbers) to.put(number);
    return bytes;
  }
  core::IndexPacker packer;
  for (const std::int64_t index : decomposition.indices()) packer.add(index);
  Bytes bytes = packer.finish();
  bytes.insert(bytes.begin(), static_cast<std::uint8_t>(Kind::numbers));
  return bytes;
}

std::uint64_t checksum_of(ByteView map) { return core::content_hash(map); }

core::Error check_map(const SavedMap& map) {
  const std::uint64_t sum = checksum_of(map.bytes);
  return sum == map.entry.checksum ? Error{} : damaged(name_of(map.index), sum, map.entry.checksum);
}

Decomposition::Made decomposition_of(const SavedHeader& header, const SavedMap& map) {
  if (Error error = check_map(map); !error.ok()) return error;
  if (const auto box = box_of(header, map)) {
    Decomposition::Made made = Decomposition::box(header.shape, box->start, box->count);
    if (!made || made.value()->elements() != map.entry.elements) return wrong_map(map);
    return made;
  }
  std::vector<std::int64_t> indices;
  if (Error error = append_elements(header, map, 0, map.entry.elements, indices); !error.ok()) return error;
  return Decomposition::map(header.shape, indices);
}

core::Error append_elements(const SavedHeader& header, const SavedMap& map, std::int64_t from,
                            std::int64_t to, std::vector<std::int64_t>& out) {
  if (const auto box = box_of(header, map)) {
    const Decomposition::Made made = Decomposition::box(header.shape, box->start, box->count);
    if (!made || made.value()->elements() != map.entry.elements) return wrong_map(map);
    core::append_indices(item_of(header, *box), from, to, out);
    return {};
  }
  const core::IndexLimits limits{map.entry.elements, array_elements(header)};
  const bool numbers = !map.bytes.empty() && map.bytes[0] == static_cast<std::uint8_t>(Kind::numbers);
  if (!numbers || !core::read_indices(map.bytes.subspan(1), limits, from, to, out)) return wrong_map(map);
  return {};
}

std::string text_of_shape(std::span<const std::int64_t> shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text;
}

}  // namespace collio::access
