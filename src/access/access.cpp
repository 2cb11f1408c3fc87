// See access.hpp.
#include "access/access.hpp"

#include <algorithm>
#include <utility>

#include "core/copy.hpp"

namespace collio::access {

bool View::usable() const noexcept {
  return displacement >= 0 && etype_bytes > 0 &&
         (!filetype || (filetype->size() % etype_bytes == 0 && filetype->pattern.low() >= -displacement));
}

FileAccess file_access(const View& view, std::int64_t position, std::int64_t bytes) {
  FileAccess a;
  if (bytes == 0 || view.empty()) return a;
  if (!view.filetype) return whole_access(core::Pattern::contiguous(view.displacement + position, bytes));
  a.bytes = bytes;
  const TypeLayout& type = *view.filetype;
  const std::int64_t first = position / type.size();
  const std::int64_t last = (position + bytes - 1) / type.size();
  a.pattern =
      type.pattern.repeated({last - first + 1, type.extent}).shifted(view.displacement + first * type.extent);
  a.begin = position - first * type.size();
  const double share = static_cast<double>(bytes) / static_cast<double>(a.pattern.bytes());
  a.pieces =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(a.pattern.pieces()) * share));
  if (!a.pattern.ascending()) {
    a.span = {a.pattern.low(), a.pattern.high() - a.pattern.low()};
    return a;
  }
  core::Cursor cursor(a.pattern);
  cursor.seek_stream(a.begin + bytes - 1);
  const std::int64_t end = cursor.offset() + 1;
  cursor.seek_stream(a.begin);
  a.span = {cursor.offset(), end - cursor.offset()};
  return a;
}

FileAccess whole_access(core::Pattern pattern) {
  FileAccess a;
  a.bytes = pattern.bytes();
  a.pieces = pattern.pieces();
  a.span = {pattern.low(), pattern.high() - pattern.low()};
  a.pattern = std::move(pattern);
  return a;
}

MemoryAccess::MemoryAccess(void* address, const TypeLayout& type, std::int64_t count)
    : MemoryAccess(address, type.pattern.repeated({count, type.extent})) {}

MemoryAccess::MemoryAccess(void* address, core::Pattern pattern)
    : address_(static_cast<std::byte*>(address)), pattern_(std::move(pattern)) {
  if (bytes() == 0) return;
  device_ = DeviceMemory::find({address_, pattern_.low(), pattern_.high(), contiguous()});
  if (device_) device_->try_copy(address_ + core::Cursor(pattern_).offset());
}

MemoryAccess::MemoryAccess(core::Pattern pattern, std::shared_ptr<const TurnedMemory> turned)
    : MemoryAccess(nullptr, std::move(pattern)) {
  turned_ = std::move(turned);
}

template <class Each>
void MemoryAccess::for_each_run(std::int64_t position, std::int64_t bytes, Each&& each) const noexcept {
  if (contiguous()) return each(core::Run{pattern_.low() + position, bytes, 0, 1});
  core::Cursor cursor(pattern_);
  cursor.seek_stream(position);
  for (core::Run run; bytes > 0 && cursor.next_bytes(bytes, run); bytes -= run.bytes()) each(run);
}

void MemoryAccess::gather(std::int64_t position, std::int64_t bytes, std::byte* out) const noexcept {
  if (bytes == 0) return;
  for_each_run(position, bytes, [&](const core::Run& run) {
    out = turned_   ? turned_->gather_run(out, run)
          : device_ ? device_->gather_run(out, address_, run)
                    : core::gather_run(out, address_, run);
  });
}

void MemoryAccess::scatter(std::int64_t position, std::int64_t bytes, const std::byte* in) const noexcept {
  if (bytes == 0) return;
  for_each_run(position, bytes, [&](const core::Run& run) {
    in = turned_   ? turned_->scatter_run(run, in)
         : device_ ? device_->scatter_run(address_, run, in)
                   : core::scatter_run(address_, run, in);
  });
}

}  // namespace collio::access
