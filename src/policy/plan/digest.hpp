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
  static constexpr std::int64_t unsaid = std::numeric_limits<std::int64_t>::min();
#define COLLIO_DIGEST(name, start, fold) std::int64_t name = start;
#define COLLIO_DIGEST_UNSIGNED(name, start, fold) std::uint64_t name = start;
#include "policy/plan/digest.def"

  /// One rank's access.
  struct RankAccess {
    int rank = 0;
    /// a hash of it, up to its offset
    std::uint64_t shape = 0;
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
#define COLLIO_DIGEST(name, start, fold) name = fold(name, other.name);
#include "policy/plan/digest.def"
  }
  /// All bytes were moved before ranks met.
  [[nodiscard]] bool moved_ahead() const noexcept { return bytes > 0 && unmoved == 0; }
  /// `kind`: the same for calls that are done as one; `form`: the same for calls of one name.
  void set_call(std::int64_t kind, std::int64_t form = 0) noexcept {
    call_high = kind;
    call_low = ~kind;
    form_high = form;
    form_low = ~form;
  }
  [[nodiscard]] bool same_call() const noexcept { return call_high == ~call_low; }
  [[nodiscard]] bool same_form() const noexcept { return form_high == ~form_low; }
  [[nodiscard]] std::int64_t span() const noexcept { return high < low ? 0 : high - low; }
  /// Whether ranks access bytes between other ranks' bytes. Spans that overlap by less than the ranks leave
  /// free elsewhere are not seen.
  [[nodiscard]] bool interleaved() const noexcept { return spans > span(); }

 private:
  // How two numbers combine.
  static std::int64_t least(std::int64_t a, std::int64_t b) noexcept { return std::min(a, b); }
  static std::int64_t most(std::int64_t a, std::int64_t b) noexcept { return std::max(a, b); }
  static std::int64_t bits(std::int64_t a, std::int64_t b) noexcept { return a | b; }
  static std::int64_t bounded_sum(std::int64_t a, std::int64_t b) noexcept {
    return a > nothing - b ? nothing : a + b;
  }
  template <class T>
  static T sum(T a, T b) noexcept {
    return a + b;
  }
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

}  // namespace collio::policy
