// One rank's side of a call: which file bytes, and where in memory they come from or go to.
#pragma once

#include <cstddef>
#include <memory>

#include "access/datatype.hpp"
#include "access/device/device_memory.hpp"
#include "access/turned_memory.hpp"
#include "core/cursor.hpp"

namespace collio::access {

/// A file view as set by MPI_File_set_view. Displacement and etype size in bytes.
struct View {
  std::int64_t displacement = 0;
  std::int64_t etype_bytes = 1;
  /// null: plain bytes
  Layout filetype;

  /// A view under which collio can find the place of every data byte: whole etypes, none before the file.
  [[nodiscard]] bool usable() const noexcept;
  /// No byte of the file is in the view.
  [[nodiscard]] bool empty() const noexcept { return filetype && filetype->size() == 0; }
  /// Data bytes lie in a row in the file.
  [[nodiscard]] bool straight() const noexcept { return !filetype || filetype->straight(); }
  /// Of data byte 0, where they do.
  [[nodiscard]] std::int64_t first_byte() const noexcept {
    return displacement + (filetype ? filetype->pattern.low() : 0);
  }
};

/// Bytes [begin, begin + bytes) of the data stream of `pattern`, whose offsets are file offsets.
struct FileAccess {
  core::Pattern pattern;
  std::int64_t begin = 0;
  std::int64_t bytes = 0;
  /// first to last file byte accessed; ascending patterns only
  core::Extent span;
  /// estimate, exact for whole filetypes
  std::int64_t pieces = 0;

  [[nodiscard]] bool ascending() const noexcept { return pattern.ascending(); }
};

/// All bytes of `pattern`. Not collective. O(loops).
[[nodiscard]] FileAccess whole_access(core::Pattern pattern);

/// `bytes` bytes of the view's data, starting at data byte `position`; none of an empty view. Not collective.
/// O(loops + log items).
[[nodiscard]] FileAccess file_access(const View& view, std::int64_t position, std::int64_t bytes);

/// A buffer: `count` instances of a datatype at an address, in memory of the host's or of a device
/// (device_memory.hpp). Copies share the device's errors and sums.
class MemoryAccess {
 public:
  MemoryAccess() = default;
  /// Bytes of `pattern` from `address` on; null: its offsets are addresses. Throws std::bad_alloc.
  MemoryAccess(void* address, core::Pattern pattern);
  /// `address` may be MPI_BOTTOM when `type` holds absolute addresses. Throws std::bad_alloc.
  MemoryAccess(void* address, const TypeLayout& type, std::int64_t count);
  /// Memory whose elements are turned around as they are copied; the pattern's offsets are addresses. Null:
  /// as they are. Throws std::bad_alloc.
  MemoryAccess(core::Pattern pattern, std::shared_ptr<const TurnedMemory> turned);

  [[nodiscard]] std::int64_t bytes() const noexcept { return pattern_.bytes(); }
  [[nodiscard]] bool contiguous() const noexcept { return pattern_.contiguous() || pattern_.bytes() == 0; }
  /// Contiguous, and as in the file, and the CPU can touch it: bytes may come and go without staging.
  [[nodiscard]] bool direct() const noexcept { return contiguous() && !device_ && !turned_; }
  /// Null: the CPU can touch it.
  [[nodiscard]] const DeviceMemory* device() const noexcept { return device_.get(); }
  /// Why bytes could not be copied, if so.
  [[nodiscard]] core::Error failure() const { return device_ ? device_->failure() : core::Error{}; }
  /// Address of data byte `position`; contiguous buffers only.
  [[nodiscard]] std::byte* at(std::int64_t position) const noexcept {
    return address_ + pattern_.low() + position;
  }
  /// Copies data bytes [position, position + bytes) to `out`. O(bytes + pieces). Zeros stand for bytes that a
  /// device did not give: failure().
  void gather(std::int64_t position, std::int64_t bytes, std::byte* out) const noexcept;
  /// Copies `bytes` bytes from `in` to data bytes [position, position + bytes). What a device did not take:
  /// failure().
  void scatter(std::int64_t position, std::int64_t bytes, const std::byte* in) const noexcept;

 private:
  template <class Each>
  void for_each_run(std::int64_t position, std::int64_t bytes, Each&& each) const noexcept;

  std::byte* address_ = nullptr;
  core::Pattern pattern_;
  /// null: the CPU can touch it
  std::shared_ptr<DeviceMemory> device_;
  /// null: bytes are in the file as they are here
  std::shared_ptr<const TurnedMemory> turned_;
};

}  // namespace collio::access
