// What each rank says of its access before a call, and what all of them say together.
//
// A digest is a handful of integers that combine in any order; one small reduction makes all ranks
// hold the same one, and every decision is made from it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/content_hash.hpp"

namespace collio::policy {

struct Digest {
  static constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::max();

  std::int64_t low = nothing;      ///< first file byte accessed
  std::int64_t high = -1;          ///< end of the last file byte accessed
  std::int64_t bytes = 0;          ///< data bytes, all ranks
  std::int64_t pieces = 0;         ///< contiguous file pieces, all ranks (estimate)
  std::int64_t most_pieces = 0;    ///< of one rank
  std::int64_t most_bytes = 0;     ///< of one rank
  std::int64_t spans = 0;          ///< first to last byte of each rank, all ranks together
  std::int64_t active_ranks = 0;   ///< ranks that access any byte
  std::int64_t unordered = 0;      ///< ranks whose file pieces are not in ascending order
  std::int64_t undescribed = 0;    ///< ranks with a datatype collio cannot describe
  std::int64_t on_fibers = 0;      ///< ranks on which the call shares the thread with the program
  std::int64_t in_background = 0;  ///< ranks whose program does not wait in the call
  std::int64_t lack_slots = 0;     ///< ranks without the shared windows of the file's last call
  std::int64_t through_slots =
      nothing;                   ///< least of the ranks' bytes of earlier calls through a node's memory
  std::int64_t unmoved = 0;      ///< ranks with bytes that they have not moved ahead of the others
  std::int64_t went_alone = 0;   ///< ranks that made independent calls on the file
  std::int64_t offset_bits = 0;  ///< all piece ends, or-ed; exact up to their common alignment
  std::int64_t error = 0;        ///< worst core::ErrorClass so far

  static constexpr std::int64_t unsaid = std::numeric_limits<std::int64_t>::min();
  std::int64_t call_high = unsaid,
               call_low = unsaid;  ///< most and (negated) least of the ranks' kinds of call
  std::int64_t form_high = unsaid, form_low = unsaid;  ///< the same of the forms of it
  std::uint64_t shapes = 0;     ///< what the ranks access, up to where in the file: a sum of hashes
  std::uint64_t positions = 0;  ///< where: the sum of weights times offsets, modulo a prime
  std::uint64_t weights = 0;    ///< of the ranks that access any byte, summed by the same modulus

  /// One rank's access.
  struct RankAccess {
    int rank = 0;
    std::uint64_t shape = 0;  ///< a hash of it, up to its offset
    std::int64_t offset = 0;
  };
  void set_access(const RankAccess& a) noexcept {
    const std::uint64_t weight = core::mixed(static_cast<std::uint64_t>(a.rank)) % prime;
    shapes = core::mixed(core::hash_step(weight, a.shape));
    positions = times(weight, modulo(a.offset));
    weights = weight;
  }
  /// Every rank accesses what it did in a call before, all as many bytes further on. Wrong with a probability
  /// of some 2^-61: sums of hashes, and a linear function of the offsets, stand for all ranks' numbers.
  [[nodiscard]] bool repeats(const Digest& before) const noexcept {
    return shapes == before.shapes && weights == before.weights && bytes == before.bytes &&
           active_ranks == before.active_ranks && span() == before.span() &&
           positions == plus(before.positions, times(weights, modulo(low - before.low)));
  }

  void combine(const Digest& other) noexcept {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    bytes += other.bytes;
    pieces += other.pieces;
    most_pieces = std::max(most_pieces, other.most_pieces);
    most_bytes = std::max(most_bytes, other.most_bytes);
    spans = spans > nothing - other.spans ? nothing : spans + other.spans;
    active_ranks += other.active_ranks;
    unordered += other.unordered;
    undescribed += other.undescribed;
    on_fibers += other.on_fibers;
    in_background += other.in_background;
    lack_slots += other.lack_slots;
    through_slots = std::min(through_slots, other.through_slots);
    unmoved += other.unmoved;
    went_alone += other.went_alone;
    offset_bits |= other.offset_bits;
    error = std::max(error, other.error);
    call_high = std::max(call_high, other.call_high);
    call_low = std::max(call_low, other.call_low);
    form_high = std::max(form_high, other.form_high);
    form_low = std::max(form_low, other.form_low);
    shapes += other.shapes;
    positions = plus(positions, other.positions);
    weights = plus(weights, other.weights);
  }
  /// All bytes were moved before ranks met.
  [[nodiscard]] bool moved_ahead() const noexcept { return bytes > 0 && unmoved == 0; }
  /// `kind`: the same for calls that are done as one; `form`: the same for calls of one name.
  void set_call(std::int64_t kind, std::int64_t form = 0) noexcept {
    call_high = kind;
    call_low = -kind;
    form_high = form;
    form_low = -form;
  }
  [[nodiscard]] bool same_call() const noexcept { return call_high == -call_low; }
  [[nodiscard]] bool same_form() const noexcept { return form_high == -form_low; }
  [[nodiscard]] std::int64_t span() const noexcept { return high < low ? 0 : high - low; }
  /// Whether ranks access bytes between other ranks' bytes. Spans that overlap by less than the ranks leave
  /// free elsewhere are not seen.
  [[nodiscard]] bool interleaved() const noexcept { return spans > span(); }

 private:
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  [[nodiscard]] static constexpr std::uint64_t modulo(std::int64_t value) noexcept {
    constexpr auto p = static_cast<std::int64_t>(prime);
    return static_cast<std::uint64_t>((value % p + p) % p);
  }
  [[nodiscard]] static constexpr std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
    return (a + b) % prime;
  }
  [[nodiscard]] static constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % prime);
  }
};

static_assert(sizeof(Digest) == 25 * sizeof(std::int64_t));

}  // namespace collio::policy
