// Where the bytes of a file lie when it is kept in several subfiles.
//
// The file's byte stream is dealt in stripes of `unit_bytes`: stripe s goes to subfile s mod count and is
// stripe s / count there, as parallel file systems deal a file over their targets. Everything follows from
// that by arithmetic: no table, whatever the number of stripes. Where targets turn slow while the file is
// written, the stripes from some point on are dealt to other subfiles (Deal); the earlier ones stay. The
// bandwidth of several targets through subfiles: Byna et al.'s (2017) and Son et al.'s (2016)
// subfiling (docs/design/subfiles.md); there a subfile holds a part of an array, here of the byte stream, so
// any MPI-IO program can use them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/extent.hpp"

namespace collio::storage {

/// Bytes of one subfile: `extent.offset` counts in the subfile.
struct SubfilePart {
  /// no subfile has the bytes
  static constexpr std::int64_t none = -1;
  std::int64_t subfile = 0;
  core::Extent extent;
  friend constexpr bool operator==(const SubfilePart&, const SubfilePart&) = default;
};

/// From stripe `first` on, stripes go to these subfiles in turn.
struct Deal {
  std::int64_t first = 0;
  /// ascending
  std::vector<std::int64_t> members;
  friend bool operator==(const Deal&, const Deal&) = default;
};

/// Pure. Offsets and lengths are in bytes, and not negative. Every function costs O(deals * log(count)).
struct SubfileLayout {
  /// at least 1
  std::int64_t unit_bytes = 1 << 20;
  /// at least 1
  std::int64_t count = 1;
  /// ascending; before the first of them all subfiles take turns
  std::vector<Deal> deals = {};

  /// The subfile of a stripe.
  [[nodiscard]] constexpr std::int64_t subfile_of(std::int64_t stripe) const noexcept {
    const std::size_t round = round_of(stripe);
    const std::int64_t turn = (stripe - first_of(round)) % players(round);
    return round == 0 ? turn : deals[round - 1].members[static_cast<std::size_t>(turn)];
  }

  /// How many of the stripes below `end` a subfile has.
  [[nodiscard]] constexpr std::int64_t stripes_below(std::int64_t end, std::int64_t subfile) const noexcept {
    std::int64_t stripes = 0;
    for (std::size_t round = 0; round <= deals.size() && first_of(round) < end; ++round)
      stripes += dealt(round, end, subfile);
    return stripes;
  }

  /// The stripe of the file that is stripe `row` of a subfile; -1: the subfile is dealt fewer.
  [[nodiscard]] constexpr std::int64_t stripe_at(std::int64_t subfile, std::int64_t row) const noexcept {
    for (std::size_t round = 0; round <= deals.size(); ++round) {
      const std::int64_t here = dealt(round, endless, subfile);
      if (row < here) return first_of(round) + row * players(round) + turn_of(round, subfile);
      row -= here;
    }
    return -1;
  }

  /// The part of `extent` that its first byte is in: up to the end of the stripe.
  [[nodiscard]] constexpr SubfilePart first_part(const core::Extent& extent) const noexcept {
    const std::int64_t stripe = extent.offset / unit_bytes, inside = extent.offset % unit_bytes;
    if (count == 1) return {0, extent};
    const std::int64_t subfile = subfile_of(stripe);
    return {
        subfile,
        {stripes_below(stripe, subfile) * unit_bytes + inside, std::min(extent.length, unit_bytes - inside)}};
  }

  /// Bytes of each subfile when the file has `file_bytes`; this layout outlives what is returned.
  [[nodiscard]] constexpr auto shares(std::int64_t file_bytes) const noexcept {
    return [whole = file_bytes / unit_bytes, rest = file_bytes % unit_bytes, this](std::int64_t subfile) {
      return stripes_below(whole, subfile) * unit_bytes + (subfile_of(whole) == subfile ? rest : 0);
    };
  }

  /// Length of a file whose last byte is the last byte of the part, which begins at 0 of its subfile. Bytes
  /// behind the last stripe that the subfile is dealt do not count.
  [[nodiscard]] constexpr std::int64_t file_bytes(const SubfilePart& whole) const noexcept {
    const std::int64_t most = stripes_below(endless, whole.subfile);
    const std::int64_t last =
        (whole.extent.length - 1) / unit_bytes < most ? whole.extent.length - 1 : most * unit_bytes - 1;
    if (whole.extent.length == 0 || last < 0) return 0;
    return stripe_at(whole.subfile, last / unit_bytes) * unit_bytes + last % unit_bytes + 1;
  }

  /// The subfiles that the last stripes go to.
  [[nodiscard]] constexpr std::int64_t members_at_end() const noexcept { return players(deals.size()); }

  friend bool operator==(const SubfileLayout&, const SubfileLayout&) = default;

 private:
  static constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

  // Round 0 deals to all; round i is deals[i - 1].
  [[nodiscard]] constexpr std::size_t round_of(std::int64_t stripe) const noexcept {
    const auto later = [](std::int64_t s, const Deal& deal) { return s < deal.first; };
    return static_cast<std::size_t>(std::upper_bound(deals.begin(), deals.end(), stripe, later) -
                                    deals.begin());
  }
  [[nodiscard]] constexpr std::int64_t first_of(std::size_t round) const noexcept {
    return round == 0 ? 0 : deals[round - 1].first;
  }
  [[nodiscard]] constexpr std::int64_t players(std::size_t round) const noexcept {
    return round == 0 ? count : static_cast<std::int64_t>(deals[round - 1].members.size());
  }
  /// A subfile's place among the players; -1: it is none of them.
  [[nodiscard]] constexpr std::int64_t turn_of(std::size_t round, std::int64_t subfile) const noexcept {
    if (round == 0) return subfile;
    const std::vector<std::int64_t>& members = deals[round - 1].members;
    const auto found = std::lower_bound(members.begin(), members.end(), subfile);
    return found != members.end() && *found == subfile ? found - members.begin() : -1;
  }
  /// Stripes of a subfile in a round, of those below `end`.
  [[nodiscard]] constexpr std::int64_t dealt(std::size_t round, std::int64_t end,
                                             std::int64_t subfile) const noexcept {
    const std::int64_t turn = turn_of(round, subfile);
    if (turn < 0) return 0;
    const std::int64_t stripes =
        std::min(end, round < deals.size() ? deals[round].first : endless) - first_of(round);
    return stripes / players(round) + (turn < stripes % players(round) ? 1 : 0);
  }
};

/// Calls each(part, position in the extent) for the parts of an extent, in the order of the file. `layout`: a
/// SubfileLayout or an ArrayLayout. O(stripes).
template <class Layout, class Each>
constexpr void for_each_part(const Layout& layout, const core::Extent& extent, Each&& each) {
  for (std::int64_t position = 0; position < extent.length;) {
    const SubfilePart part = layout.first_part({extent.offset + position, extent.length - position});
    each(part, position);
    position += part.extent.length;
  }
}

}  // namespace collio::storage
