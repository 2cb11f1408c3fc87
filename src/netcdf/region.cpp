// See region.hpp. What PnetCDF takes: src/dispatchers/var_getput.m4 of its 1.12 to 1.15; a call that this may
// misjudge is PnetCDF's to refuse.
#include "netcdf/region.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/extent.hpp"

namespace collio::netcdf {

namespace {

std::int64_t count_at(const Block& block, std::size_t d) { return block.count ? block.count[d] : 1; }
std::int64_t stride_at(const Block& block, std::size_t d) { return block.stride ? block.stride[d] : 1; }

bool is_inside(const Variable& v, const Block& block, std::int64_t records, bool reads) {
  constexpr std::int64_t most_records = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t d = 0; d < v.shape.size(); ++d) {
    const std::int64_t start = block.start[d], count = count_at(block, d), stride = stride_at(block, d);
    if (start < 0 || count < 0 || stride < 1) return false;
    const bool grows = d == 0 && v.records && !reads;
    if (grows && v.format < 5 && start > most_records) return false;
    const std::int64_t length = d == 0 && v.records ? records : v.shape[d];
    std::int64_t last = 0;
    if (__builtin_mul_overflow(count - 1, stride, &last) || __builtin_add_overflow(start, last, &last))
      return false;
    if (!grows && (count == 0 ? start >= length : last >= length)) return false;
  }
  return true;
}

/// The block's pieces. Dimensions that are whole are one piece with those behind them.
void add_block(const Variable& v, const Block& block, Region& region) {
  const std::size_t dims = v.shape.size();
  std::int64_t elements = 1, offset = v.begin, length = v.element_bytes;
  for (std::size_t d = 0; d < dims; ++d) {
    elements *= count_at(block, d);
    offset += block.start[d] * v.step[d];
  }
  if (elements == 0) return;
  region.elements += elements;
  if (v.records)
    region.records =
        std::max(region.records, block.start[0] + (count_at(block, 0) - 1) * stride_at(block, 0) + 1);
  std::size_t outer = dims;  // dimensions before this one are gone through
  while (outer > 0 && (count_at(block, outer - 1) == 1 ||
                       (stride_at(block, outer - 1) == 1 && v.step[outer - 1] == length))) {
    length *= count_at(block, outer - 1);
    --outer;
  }
  if (outer == 0) return region.own.add(offset, length);
  std::int64_t pieces = 1;
  for (std::size_t d = 0; d < outer; ++d) pieces *= count_at(block, d);
  std::vector<std::int64_t> at(outer, 0);
  for (std::int64_t i = 0; i < pieces; ++i) {
    region.own.add(offset, length);
    for (std::size_t d = outer; d-- > 0;) {
      const std::int64_t step = v.step[d] * stride_at(block, d);
      offset += step;
      if (++at[d] < count_at(block, d)) break;
      offset -= step * count_at(block, d);
      at[d] = 0;
    }
  }
}

/// Blocks of a list that are inside the variable and one piece: in half the time that is_inside() and
/// add_block() take, which do the others.
class OnePiece {
 public:
  OnePiece(const Variable& v, std::int64_t records, bool reads)
      : steps_(v.step), lengths_(v.shape), begin_(v.begin), element_bytes_(v.element_bytes) {
    if (v.records) lengths_[0] = reads ? records : std::numeric_limits<std::uint32_t>::max();
  }

  /// A length of 0: it is another block.
  [[nodiscard]] core::Extent of(Offsets start, Offsets count) const noexcept {
    core::Extent piece{begin_, element_bytes_};
    for (std::size_t d = lengths_.size(); d-- > 0;) {
      if (start[d] < 0 || count[d] < 1 || count[d] > lengths_[d] - start[d] ||
          (count[d] > 1 && steps_[d] != piece.length))
        return {};
      piece.offset += start[d] * steps_[d];
      piece.length *= count[d];
    }
    return piece;
  }

 private:
  std::vector<std::int64_t> steps_, lengths_;
  std::int64_t begin_, element_bytes_;
};

/// What is known of a list so far.
struct Progress {
  /// blocks
  int done = 0;
  std::int64_t bytes = 0, records = 0;
};

/// As many of a list's blocks as have the pieces of an earlier list in another place. All: they are the
/// region's, too; else it has its own. Writes nothing meanwhile: that costs as much as all the rest.
Progress repeat(const Named& named, const OnePiece& one_piece, bool has_records, Region& region,
                const std::shared_ptr<const Pieces>& before) {
  const std::int64_t *offsets = before->offsets.data(), *lengths = before->lengths.data();
  const std::size_t pieces = before->offsets.size();
  std::size_t index = 0;
  std::int64_t inside = 0, shift = 0;
  Progress so_far;
  for (; so_far.done < named.parts && index < pieces; ++so_far.done) {
    const Offsets start = named.starts[so_far.done], count = named.counts[so_far.done];
    const core::Extent piece = start && count ? one_piece.of(start, count) : core::Extent{};
    if (so_far.done == 0) shift = piece.offset - offsets[0];
    if (piece.length == 0 || piece.offset != offsets[index] + shift + inside ||
        piece.length > lengths[index] - inside)
      break;
    so_far.bytes += piece.length;
    if (has_records) so_far.records = std::max(so_far.records, start[0] + count[0]);
    inside += piece.length;
    if (inside < lengths[index]) continue;
    ++index;
    inside = 0;
  }
  if (so_far.done == named.parts && index == pieces) {
    region.shared = before;
    region.shift = shift;
    return so_far;
  }
  for (std::size_t i = 0; i < index; ++i) region.own.add(offsets[i] + shift, lengths[i]);
  if (inside > 0) region.own.add(offsets[index] + shift, inside);
  return so_far;
}

bool add_list(const Named& named, const Variable& v, std::int64_t records, Region& region,
              const std::shared_ptr<const Pieces>& before) {
  if (named.parts < 0 || (named.parts > 0 && !named.starts)) return false;
  const OnePiece one_piece(v, records, named.reads);
  Progress so_far;
  if (before && named.counts && !v.shape.empty())
    so_far = repeat(named, one_piece, v.records, region, before);
  region.elements = so_far.bytes / v.element_bytes;
  region.records = so_far.records;
  if (region.shared) return true;
  region.own.offsets.reserve(static_cast<std::size_t>(named.parts));
  region.own.lengths.reserve(static_cast<std::size_t>(named.parts));
  for (int i = so_far.done; i < named.parts; ++i) {
    const Block block{named.starts[i], named.counts ? named.counts[i] : nullptr, nullptr};
    if (!v.shape.empty() && (!block.start || (named.counts && !block.count))) return false;
    const core::Extent piece = block.count ? one_piece.of(block.start, block.count) : core::Extent{};
    if (piece.length > 0) {
      region.elements += piece.length / v.element_bytes;
      if (v.records) region.records = std::max(region.records, block.start[0] + block.count[0]);
      region.own.add(piece.offset, piece.length);
    } else {
      if (!is_inside(v, block, records, named.reads)) return false;
      add_block(v, block, region);
    }
  }
  region.shared = std::make_shared<const Pieces>(std::move(region.own));
  return true;
}

}  // namespace

std::vector<std::int64_t> counts_of(const Named& named, const Variable& v, std::int64_t records) {
  std::vector<std::int64_t> counts(v.shape.size(), 1);
  if (named.form == Named::Form::whole) {
    counts = v.shape;
    if (v.records) counts[0] = records;
  } else if (named.form == Named::Form::block && named.block.count) {
    std::copy_n(named.block.count, counts.size(), counts.begin());
  }
  return counts;
}

bool region_of(const Named& named, const Variable& v, std::int64_t records, Region& region,
               const std::shared_ptr<const Pieces>& before) {
  using Form = Named::Form;
  if (named.form == Form::list) return add_list(named, v, records, region, before);
  const bool whole = named.form == Form::whole;
  const bool counted = named.form != Form::block || named.block.count;
  if (!whole && !v.shape.empty() && (!named.block.start || !counted)) return false;
  const std::vector<std::int64_t> counts = counts_of(named, v, records);
  const std::vector<std::int64_t> zeros(whole ? v.shape.size() : 0, 0);
  const Block block{whole ? zeros.data() : named.block.start, counts.data(),
                    named.form == Form::block ? named.block.stride : nullptr};
  if (!whole && !is_inside(v, block, records, named.reads)) return false;
  add_block(v, block, region);
  return true;
}

Pieces moved(const Pieces& pieces, const Place& from, const Place& to, std::int64_t record_bytes) {
  Pieces now;
  for (std::size_t i = 0; i < pieces.offsets.size(); ++i) {
    std::int64_t offset = pieces.offsets[i] - from.begin, left = pieces.lengths[i];
    while (left > 0) {
      const std::int64_t record = from.record_step > 0 ? offset / from.record_step : 0;
      const std::int64_t inside = offset - record * from.record_step;
      const std::int64_t length = std::min(left, record_bytes - inside);
      now.add(to.begin + record * to.record_step + inside, length);
      offset += length;
      left -= length;
    }
  }
  return now;
}

}  // namespace collio::netcdf
