// See index_runs.hpp.
#include "core/index_runs.hpp"

#include <algorithm>

#include "core/varint.hpp"

namespace collio::core {

namespace {

bool same_loops(const IndexItem& a, const IndexItem& b) noexcept {
  if (a.loops != b.loops) return false;
  for (int i = 0; i < a.loops; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (a.loop[at].count != b.loop[at].count || a.loop[at].stride != b.loop[at].stride) return false;
  }
  return true;
}

bool may_share_a_loop(const IndexItem& a, const IndexItem& b) noexcept {
  return (a.start == index_hole) == (b.start == index_hole) && same_loops(a, b);
}

/// The items of a list one by one. The bytes have varint_slack spare ones behind them.
class Reader {
 public:
  Reader(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}
  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }
  /// False: the bytes are no item, or one of more than `most` numbers.
  bool next(IndexItem& item, std::int64_t most) {
    std::uint64_t loops = 0, number = 0;
    if (!read(loops) || loops > IndexItem::most_loops || !read(number)) return false;
    if (__builtin_add_overflow(item.start, unzigzag(number), &item.start)) return false;
    item.loops = static_cast<int>(loops);
    std::int64_t count = 1;
    for (std::size_t i = loops; i-- > 0;) {
      Loop& loop = item.loop[i];
      std::uint64_t times = 0;
      if (!read(times) || !read(number) || times < 2 || times > static_cast<std::uint64_t>(most))
        return false;
      loop = {static_cast<std::int64_t>(times), unzigzag(number)};
      if (__builtin_mul_overflow(count, loop.count, &count) || count > most) return false;
    }
    return count <= most;
  }

 private:
  bool read(std::uint64_t& value) {
    if (at_ >= end_) return false;
    value = get_varint(at_);
    return at_ <= end_;
  }
  const std::uint8_t *at_, *end_;
};

bool within(const IndexItem& item, std::int64_t below) {
  __extension__ using Wide = __int128;
  Wide least = item.start, most = item.start;
  for (int i = 0; i < item.loops; ++i) {
    const Loop& loop = item.loop[static_cast<std::size_t>(i)];
    if (item.start == index_hole && loop.stride != 0) return false;
    (loop.stride < 0 ? least : most) += Wide{loop.count - 1} * loop.stride;
  }
  return item.start == index_hole || (least >= 0 && most < below);
}

}  // namespace

std::int64_t IndexItem::count() const noexcept {
  std::int64_t numbers = 1;
  for (int i = 0; i < loops; ++i) numbers *= loop[static_cast<std::size_t>(i)].count;
  return numbers;
}

void IndexPacker::join(int level, const IndexItem& item) {
  if (level == IndexItem::most_loops) return write(item);
  Level& pending = levels_[static_cast<std::size_t>(level)];
  if (pending.count > 0 && may_share_a_loop(pending.item, item)) {
    const std::int64_t distance = item.start - pending.item.start;
    if (pending.count == 1) pending.stride = distance;
    if (distance == pending.count * pending.stride) {
      ++pending.count;
      return;
    }
  }
  flush(level);
  pending = {item, 1, 0};
}

void IndexPacker::flush(int level) {
  Level& pending = levels_[static_cast<std::size_t>(level)];
  if (pending.count == 0) return;
  IndexItem item = pending.item;
  if (pending.count > 1) item.loop[static_cast<std::size_t>(item.loops++)] = {pending.count, pending.stride};
  pending.count = 0;
  join(level + 1, item);
}

void IndexPacker::write(const IndexItem& item) {
  std::array<std::uint8_t, (2 + 2 * IndexItem::most_loops) * varint_max_bytes> room;
  std::uint8_t* at = put_varint(room.data(), static_cast<std::uint64_t>(item.loops));
  at = put_varint(at, zigzag(item.start - before_));
  before_ = item.start;
  for (int i = item.loops; i-- > 0;) {
    const Loop& loop = item.loop[static_cast<std::size_t>(i)];
    at = put_varint(at, static_cast<std::uint64_t>(loop.count));
    at = put_varint(at, zigzag(loop.stride));
  }
  bytes_.insert(bytes_.end(), room.data(), at);
}

std::vector<std::uint8_t> IndexPacker::finish() {
  for (int level = 0; level < IndexItem::most_loops; ++level) flush(level);
  return std::move(bytes_);
}

bool read_indices(std::span<const std::uint8_t> packed, const IndexLimits& limits, std::int64_t from,
                  std::int64_t to, std::vector<std::int64_t>& out) {
  std::vector<std::uint8_t> bytes(packed.begin(), packed.end());
  bytes.resize(packed.size() + varint_slack);
  Reader reader(bytes.data(), bytes.data() + packed.size());
  std::int64_t at = 0;
  for (IndexItem item; !reader.at_end();) {
    if (!reader.next(item, limits.elements - at) || !within(item, limits.below)) return false;
    const std::int64_t count = item.count();
    const std::int64_t first = std::clamp(from - at, std::int64_t{0}, count),
                       last = std::clamp(to - at, std::int64_t{0}, count);
    append_indices(item, first, last, out);
    at += count;
  }
  return at == limits.elements;
}

void append_indices(const IndexItem& item, std::int64_t from, std::int64_t to,
                    std::vector<std::int64_t>& out) {
  if (from >= to) return;
  std::array<std::int64_t, IndexItem::most_loops> place{};
  std::int64_t index = item.start, left = from;
  const auto loops = static_cast<std::size_t>(item.loops);
  for (std::size_t i = 0; i < loops; ++i) {
    place[i] = left % item.loop[i].count;
    left /= item.loop[i].count;
    index += place[i] * item.loop[i].stride;
  }
  for (std::int64_t k = from; k < to; ++k) {
    out.push_back(index);
    for (std::size_t i = 0; i < loops; ++i) {
      index += item.loop[i].stride;
      if (++place[i] < item.loop[i].count) break;
      index -= item.loop[i].count * item.loop[i].stride;
      place[i] = 0;
    }
  }
}

}  // namespace collio::core
