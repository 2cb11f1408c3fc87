// See piece_lists.hpp.
#include "capi/piece_lists.hpp"

#include <string>

#include "capi/error.hpp"

namespace collio::capi {

namespace {

using core::Error;
using core::ErrorClass;

/// A list as one piece after the other; part of a piece may be taken.
struct ListWalk {
  const collio_pieces& list;
  std::int64_t at = 0, taken = 0;
  void skip_empty() {
    while (at < list.count && list.lengths[at] == taken) ++at, taken = 0;
  }
  [[nodiscard]] bool at_end() const { return at == list.count; }
  [[nodiscard]] std::int64_t offset() const { return list.offsets[at] + taken; }
  [[nodiscard]] std::int64_t left() const { return list.lengths[at] - taken; }
};

enum class Offsets { of_file, of_memory };  // of memory: may be negative

/// Bytes of a list.
core::Result<std::int64_t> bytes_of(const collio_pieces& list, Offsets kind) {
  const char* const where = kind == Offsets::of_file ? "the file" : "memory";
  if (list.count < 0)
    return not_allowed(std::string("the number of pieces in ") + where, list.count, "0 and more");
  if (list.count > 0 && (!list.offsets || !list.lengths))
    return Error{ErrorClass::argument,
                 std::string("offsets or lengths of the pieces in ") + where + " are null"};
  std::int64_t bytes = 0, end = 0;
  for (std::int64_t i = 0; i < list.count; ++i) {
    const std::string piece = "of piece " + std::to_string(i) + " in " + where;
    if (list.lengths[i] < 0) return not_allowed("the length " + piece, list.lengths[i], "0 and more");
    if (list.offsets[i] < 0 && kind == Offsets::of_file)
      return not_allowed("the offset " + piece, list.offsets[i], "0 and more");
    if (__builtin_add_overflow(bytes, list.lengths[i], &bytes) ||
        __builtin_add_overflow(list.offsets[i], list.lengths[i], &end))
      return Error{ErrorClass::argument, "the end " + piece + " is at byte 2^63 or later: offset " +
                                             std::to_string(list.offsets[i]) + ", length " +
                                             std::to_string(list.lengths[i])};
  }
  return bytes;
}

}  // namespace

core::Result<core::PieceMap> map_of(const PieceLists& lists) {
  if (!lists.file) return Error{ErrorClass::argument, "the list of pieces in the file is null"};
  const auto bytes = bytes_of(*lists.file, Offsets::of_file);
  if (!bytes) return bytes.error();
  const std::int64_t none = 0;
  const collio_pieces one{1, &none, &bytes.value()};
  const collio_pieces& in_memory = lists.in_memory ? *lists.in_memory : one;
  const auto memory_bytes = bytes_of(in_memory, Offsets::of_memory);
  if (!memory_bytes) return memory_bytes.error();
  if (memory_bytes.value() != bytes.value())
    return Error{ErrorClass::argument, "the pieces in the file have " + std::to_string(bytes.value()) +
                                           " bytes, those in memory " + std::to_string(memory_bytes.value())};
  if (!lists.memory && bytes.value() > 0) return Error{ErrorClass::argument, "the memory is null"};
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(lists.memory));
  std::vector<core::MappedPiece> pieces;
  pieces.reserve(static_cast<std::size_t>(lists.file->count));
  ListWalk file{*lists.file}, memory{in_memory};
  for (file.skip_empty(), memory.skip_empty(); !file.at_end(); file.skip_empty(), memory.skip_empty()) {
    const std::int64_t length = std::min(file.left(), memory.left());
    pieces.push_back({file.offset(), address + memory.offset(), length});
    file.taken += length;
    memory.taken += length;
  }
  return core::map_pieces(std::move(pieces));
}

}  // namespace collio::capi
