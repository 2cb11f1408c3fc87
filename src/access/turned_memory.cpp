// See turned_memory.hpp.
#include "access/turned_memory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/copy.hpp"
#include "core/reversed.hpp"

namespace collio::access {

namespace {

std::byte* at(std::int64_t address) { return reinterpret_cast<std::byte*>(address); }

}  // namespace

std::shared_ptr<const TurnedMemory> TurnedMemory::of(std::vector<Range> ranges, bool& fits) {
  std::ranges::sort(ranges, {}, &Range::begin);
  std::vector<Range> kept;
  fits = true;
  for (const Range& range : ranges) {
    if (range.end <= range.begin) continue;
    if (range.begin % range.element_bytes != 0) fits = false;
    if (!kept.empty() && range.element_bytes == kept.back().element_bytes)
      kept.back().end = std::max(kept.back().end, range.end);  // what lies between is not copied
    else if (!kept.empty() && range.begin < kept.back().end)
      fits = false;
    else
      kept.push_back(range);
  }
  if (!fits || kept.empty() || (kept.size() == 1 && kept[0].element_bytes == 1)) return nullptr;
  return std::shared_ptr<const TurnedMemory>(new TurnedMemory(std::move(kept)));
}

template <class Part>
void TurnedMemory::for_each_part(std::int64_t address, std::int64_t bytes, Part&& part) const noexcept {
  if (ranges_.size() == 1) return part(address, bytes, ranges_[0].element_bytes);
  auto range = std::ranges::upper_bound(ranges_, address, {}, &Range::begin) - 1;
  for (std::int64_t done = 0; done < bytes; ++range) {
    const std::int64_t next =
        range + 1 == ranges_.end() ? std::numeric_limits<std::int64_t>::max() : (range + 1)->begin;
    const std::int64_t length = std::min(bytes - done, next - (address + done));
    part(address + done, length, range->element_bytes);
    done += length;
  }
}

std::byte* TurnedMemory::gather_run(std::byte* out, const core::Run& run) const noexcept {
  for (std::int64_t i = 0; i < run.count; ++i)
    for_each_part(run.offset + i * run.stride, run.length,
                  [&](std::int64_t address, std::int64_t bytes, int element_bytes) {
                    if (element_bytes == 1)
                      core::copy_piece(out, at(address), static_cast<std::size_t>(bytes));
                    else
                      core::gather_reversed(out, at(address), bytes, element_bytes);
                    out += bytes;
                  });
  return out;
}

const std::byte* TurnedMemory::scatter_run(const core::Run& run, const std::byte* in) const noexcept {
  for (std::int64_t i = 0; i < run.count; ++i)
    for_each_part(run.offset + i * run.stride, run.length,
                  [&](std::int64_t address, std::int64_t bytes, int element_bytes) {
                    if (element_bytes == 1)
                      core::copy_piece(at(address), in, static_cast<std::size_t>(bytes));
                    else
                      core::scatter_reversed(at(address), in, bytes, element_bytes);
                    in += bytes;
                  });
  return in;
}

}  // namespace collio::access
