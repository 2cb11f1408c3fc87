// Where the bytes of an access lie, as a nest of loops around a packed list.
//
// Every MPI datatype, and every view tiled over a file, becomes
//     for i0 in [0, n0): for i1 in [0, n1): ...: for piece in body: origin + i0*s0 + i1*s1 + ... + piece
// Regular types (vector, subarray, block darray) need only loops and a body of one item, however many
// blocks they have; irregular ones put their blocks into the body.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/extent.hpp"
#include "core/packed_extents.hpp"

namespace collio::core {

/// `count` repetitions, `stride` bytes from one to the next.
struct Loop {
  std::int64_t count = 1;
  std::int64_t stride = 0;
};

/// Bytes of one instance of a datatype, relative to its origin. Immutable; copies share the body.
class Pattern {
 public:
  /// A pattern that would need more loops has its inner ones unrolled into the body.
  static constexpr std::size_t max_loops = 8;

  Pattern();
  explicit Pattern(PackedExtents body);
  static Pattern contiguous(std::int64_t offset, std::int64_t length);

  /// This pattern `loop.count` times. O(1), except that a body of one item may absorb the loop.
  [[nodiscard]] Pattern repeated(Loop loop) const;
  /// This pattern `distance` bytes further on. O(loops).
  [[nodiscard]] Pattern shifted(std::int64_t distance) const;
  /// Every offset, length and stride times `factor` > 0: from elements to bytes. O(items of the body).
  [[nodiscard]] Pattern scaled(std::int64_t factor) const;
  /// The same bytes in the same order without loops. O(items of all iterations).
  [[nodiscard]] Pattern unrolled() const;

  /// outermost first
  [[nodiscard]] const std::vector<Loop>& loops() const noexcept { return loops_; }
  [[nodiscard]] const PackedExtents& body() const noexcept { return *body_; }
  [[nodiscard]] std::int64_t origin() const noexcept { return origin_; }
  /// Data bytes in all, and in one iteration of loop `level`.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::int64_t bytes_below(std::size_t level) const noexcept { return below_[level]; }
  [[nodiscard]] std::int64_t pieces() const noexcept { return pieces_; }
  /// Most pieces, or runs of them by two, that data bytes [begin, end) are. O(loops + log items).
  [[nodiscard]] std::int64_t most_pieces(std::int64_t begin, std::int64_t end) const noexcept;
  /// Lowest offset and highest end of any byte; both 0 when empty.
  [[nodiscard]] std::int64_t low() const noexcept { return low_; }
  [[nodiscard]] std::int64_t high() const noexcept { return high_; }
  /// True when pieces come in order of offset and none overlap.
  [[nodiscard]] bool ascending() const noexcept { return ascending_; }
  /// True when the bytes are one piece, in order.
  [[nodiscard]] bool contiguous() const noexcept {
    return ascending_ && bytes_ > 0 && high_ - low_ == bytes_;
  }
  /// End of the bytes of one iteration of loop `level`, relative to the iteration's origin.
  [[nodiscard]] std::int64_t high_below(std::size_t level) const noexcept { return high_below_[level]; }
  /// Largest shift (see PackedFormat) that divides the distance between any two piece ends.
  [[nodiscard]] int shift() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return body_->memory_bytes(); }

 private:
  void derive();
  [[nodiscard]] std::int64_t items_before(std::int64_t stream) const noexcept;

  std::vector<Loop> loops_;
  std::shared_ptr<const PackedExtents> body_;
  std::int64_t origin_ = 0;
  std::vector<std::int64_t> below_, high_below_;
  std::int64_t bytes_ = 0, pieces_ = 0, low_ = 0, high_ = 0;
  bool ascending_ = true;
};

namespace detail {

/// Learns the format of a list from its pieces.
struct FormatProbe {
  std::uint64_t bits = 0;
  std::int64_t at = 0;
  bool any_order = false;

  void operator()(const Extent& piece) noexcept {
    if (piece.length == 0) return;
    bits |= static_cast<std::uint64_t>(piece.offset | piece.length);
    any_order |= piece.offset < at;
    at = piece.end();
  }
  void operator()(const Run& run) noexcept {
    if (run.length == 0 || run.count == 0) return;
    bits |= static_cast<std::uint64_t>(run.offset | run.length | (run.count > 1 ? run.stride : 0));
    any_order |= run.offset < at || (run.count > 1 && run.stride < run.length);
    at = run.end();
  }
};

}  // namespace detail

/// Packs the runs or extents that `each` emits. `each(sink)` is called twice, first to learn the format.
template <class Each>
[[nodiscard]] PackedExtents pack_runs(Each&& each) {
  detail::FormatProbe probe;
  each(probe);
  PackedBuilder builder({shift_of(probe.bits), probe.any_order});
  each([&](const auto& piece) { builder.add(piece); });
  return builder.finish();
}

}  // namespace collio::core
