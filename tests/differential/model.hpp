// The byte model: what a file and a buffer must hold after a call, by walking typemaps one segment at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "case.hpp"

namespace collio::differential {

/// Calls visit(file_offset, stream_index, length) for `bytes` bytes of `view`'s data from stream byte
/// `first`. stream_index counts from 0 at the first byte visited.
template <class Visit>
void for_each_file_piece(const RankView& view, std::int64_t first, std::int64_t bytes, Visit visit) {
  const Shape& shape = view.filetype->shape;
  if (bytes <= 0 || shape.size <= 0) return;
  std::int64_t tile = first / shape.size;
  std::int64_t skip = first % shape.size;
  std::int64_t done = 0;
  while (true) {
    for (const Segment& segment : shape.segments) {
      if (skip >= segment.length) {
        skip -= segment.length;
        continue;
      }
      const std::int64_t length = std::min(segment.length - skip, bytes - done);
      visit(view.displacement + tile * shape.extent() + segment.offset + skip, done, length);
      done += length;
      skip = 0;
      if (done == bytes) return;
    }
    ++tile;
  }
}

/// Calls visit(memory_offset, stream_index, length), offsets relative to the buffer argument.
template <class Visit>
void for_each_memory_piece(const MemoryShape& memory, Visit visit) {
  std::int64_t done = 0;
  for (int copy = 0; copy < memory.count; ++copy)
    for (const Segment& segment : memory.type->shape.segments) {
      visit(segment.offset + copy * memory.type->shape.extent(), done, segment.length);
      done += segment.length;
    }
}

/// The bytes of the file, as every rank of the communicator knows them.
class FileModel {
 public:
  explicit FileModel(const Case& subject);

  /// All ranks' writes of one call.
  void apply(const Phase& phase, const Call& call);

  /// The bytes a read must deliver, in stream order, and how many of them lie before the end of the file.
  struct Delivery {
    std::vector<unsigned char> bytes;
    std::vector<bool> inside;  ///< per byte: before the end of the file
    std::vector<bool> hole;    ///< per byte: inside, but never written
    std::int64_t valid = 0;    ///< bytes before the first one past the end
    bool prefix = true;        ///< no byte after the first one past the end lies inside
  };
  [[nodiscard]] Delivery read(const Phase& phase, const Access& access, int rank) const;

  [[nodiscard]] const std::vector<unsigned char>& bytes() const noexcept { return bytes_; }

  /// Where a byte of the file comes from.
  enum class Origin : unsigned char { old, hole, written };
  [[nodiscard]] Origin origin(std::size_t offset) const noexcept { return origins_[offset]; }

 private:
  std::vector<unsigned char> bytes_;
  std::vector<Origin> origins_;
};

/// A user buffer with guard bytes around and between the pieces of a memory type.
class Buffer {
 public:
  explicit Buffer(const MemoryShape& memory);

  /// The address to hand to MPI: origin of the type, which may lie outside the buffer.
  [[nodiscard]] unsigned char* origin() noexcept { return storage_.data() + margin - low_; }

  void fill_for_write(const Call& call, int rank);

  /// What differs from what a read must leave: data, zeros of holes, bytes past the end of the file, bytes
  /// around the memory type.
  struct Damage {
    std::string data;
    std::string from_holes;
    std::string past_end;
    std::string around;
  };
  [[nodiscard]] Damage check_after_read(const FileModel::Delivery& expected) const;
  /// After a read that failed: the first `counted` bytes are right, the others right or as they were. What is
  /// not so; empty: nothing.
  [[nodiscard]] std::string check_after_failed_read(const FileModel::Delivery& expected,
                                                    std::int64_t counted) const;
  /// The same for a write: nothing may have changed.
  [[nodiscard]] std::string check_after_write() const;

 private:
  static constexpr std::int64_t margin = 64;
  static constexpr unsigned char sentinel = 0xa7;

  MemoryShape memory_;
  std::int64_t low_ = 0;
  std::vector<unsigned char> storage_;
  std::vector<unsigned char> written_;
};

}  // namespace collio::differential
