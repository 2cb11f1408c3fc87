// See piece_map.hpp.
#include "core/piece_map.hpp"

namespace collio::core {

namespace {

bool before(const MappedPiece& a, const MappedPiece& b) { return a.file < b.file; }

/// Takes bytes that come twice out of sorted pieces; these bytes' other places.
std::vector<Echo> take_echoes(std::vector<MappedPiece>& pieces) {
  std::vector<Echo> echoes;
  std::size_t kept = 0;
  std::int64_t covered = std::numeric_limits<std::int64_t>::min();
  for (MappedPiece piece : pieces) {
    if (piece.file < covered) {
      // Every byte from here to `covered` is in a kept piece: those that begin later were cut where this
      // ends.
      auto holder = std::upper_bound(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(kept),
                                     piece, before) -
                    1;
      for (std::int64_t twice = std::min(piece.length, covered - piece.file); twice > 0; ++holder) {
        const std::int64_t inside = piece.file - holder->file;
        const std::int64_t bytes = std::min(twice, holder->length - inside);
        echoes.push_back({piece.file, holder->memory + inside, piece.memory, bytes});
        piece = {piece.file + bytes, piece.memory + bytes, piece.length - bytes};
        twice -= bytes;
      }
    }
    if (piece.length == 0) continue;
    covered = piece.file + piece.length;
    pieces[kept++] = piece;
  }
  pieces.resize(kept);
  return echoes;
}

/// Lists are packed relative to where they begin: the same pieces elsewhere have the same list.
template <std::int64_t MappedPiece::*Where>
Pattern pattern_of(const std::vector<MappedPiece>& pieces) {
  if (pieces.empty()) return {};
  const std::int64_t base = pieces.front().*Where;
  return Pattern(pack_runs([&](auto&& sink) {
           for (const MappedPiece& piece : pieces) sink(Extent{piece.*Where - base, piece.length});
         }))
      .shifted(base);
}

PieceMap map_sorted(std::vector<MappedPiece> pieces) {
  PieceMap map;
  map.echoes = take_echoes(pieces);
  map.file = pattern_of<&MappedPiece::file>(pieces);
  map.memory = pattern_of<&MappedPiece::memory>(pieces);
  return map;
}

bool one_behind_the_other(const std::vector<PlacedMap>& maps) {
  for (std::size_t i = 1; i < maps.size(); ++i)
    if (maps[i].span().offset < maps[i - 1].span().end()) return false;
  return true;
}

/// The distance at which one map is repeated; none: these are different maps, or their distances differ.
template <std::int64_t PlacedMap::*Where>
std::optional<std::int64_t> distance_of(const std::vector<PlacedMap>& maps) {
  const std::int64_t distance = maps[1].*Where - maps[0].*Where;
  for (std::size_t i = 1; i < maps.size(); ++i)
    if (maps[i].map != maps[0].map || maps[i].*Where - maps[i - 1].*Where != distance) return std::nullopt;
  return distance;
}

/// The maps one after the other: a loop if possible, else one list.
template <Pattern PieceMap::*Side, std::int64_t PlacedMap::*Where>
Pattern one_after_the_other(const std::vector<PlacedMap>& maps) {
  const std::int64_t base = maps.front().*Where;
  if (const auto distance = distance_of<Where>(maps)) {
    const Loop loop{static_cast<std::int64_t>(maps.size()), *distance};
    return (maps[0].map->*Side).repeated(loop).shifted(base);
  }
  return Pattern(pack_runs([&](auto&& sink) {
           for (const PlacedMap& placed : maps) {
             Cursor cursor(placed.map->*Side);
             for (Run run; cursor.next_bytes(std::numeric_limits<std::int64_t>::max(), run);)
               sink(Run{run.offset + placed.*Where - base, run.length, run.stride, run.count});
           }
         }))
      .shifted(base);
}

void add_echoes_of(const std::vector<PlacedMap>& maps, PieceMap& to) {
  for (const PlacedMap& placed : maps)
    for (const Echo& echo : placed.map->echoes)
      to.echoes.push_back({echo.file + placed.in_file, echo.from + placed.in_memory,
                           echo.to + placed.in_memory, echo.length});
}

PieceMap interleaved(const std::vector<PlacedMap>& maps) {
  std::vector<MappedPiece> pieces;
  std::vector<std::ptrdiff_t> ends{0};
  for (const PlacedMap& placed : maps) {
    for_each_piece(*placed.map, [&](const MappedPiece& piece) {
      pieces.push_back({piece.file + placed.in_file, piece.memory + placed.in_memory, piece.length});
    });
    ends.push_back(static_cast<std::ptrdiff_t>(pieces.size()));
  }
  for (std::size_t step = 1; step + 1 < ends.size(); step *= 2)  // sorted lists, merged two by two
    for (std::size_t i = 0; i + step + 1 < ends.size(); i += 2 * step)
      std::inplace_merge(pieces.begin() + ends[i], pieces.begin() + ends[i + step],
                         pieces.begin() + ends[std::min(i + 2 * step, ends.size() - 1)], before);
  return map_sorted(std::move(pieces));
}

}  // namespace

PieceMap PieceMap::moved(std::int64_t in_file, std::int64_t in_memory) const {
  PieceMap map{file.shifted(in_file), memory.shifted(in_memory), echoes};
  for (Echo& echo : map.echoes) {
    echo.file += in_file;
    echo.from += in_memory;
    echo.to += in_memory;
  }
  return map;
}

PieceMap PieceMap::scaled(std::int64_t factor) const {
  PieceMap map{file.scaled(factor), memory.scaled(factor), echoes};
  for (Echo& echo : map.echoes)
    echo = {echo.file * factor, echo.from * factor, echo.to * factor, echo.length * factor};
  return map;
}

PieceMap map_pieces(std::vector<MappedPiece> pieces) {
  if (!std::is_sorted(pieces.begin(), pieces.end(), before))
    std::stable_sort(pieces.begin(), pieces.end(), before);
  return map_sorted(std::move(pieces));
}

PieceMap join_maps(std::vector<PlacedMap> maps) {
  std::erase_if(maps, [](const PlacedMap& placed) { return placed.map->bytes() == 0; });
  if (maps.empty()) return {};
  if (maps.size() == 1) return maps[0].map->moved(maps[0].in_file, maps[0].in_memory);
  std::stable_sort(maps.begin(), maps.end(),
                   [](const PlacedMap& a, const PlacedMap& b) { return a.span().offset < b.span().offset; });
  PieceMap joined;
  if (one_behind_the_other(maps)) {
    joined.file = one_after_the_other<&PieceMap::file, &PlacedMap::in_file>(maps);
    joined.memory = one_after_the_other<&PieceMap::memory, &PlacedMap::in_memory>(maps);
  } else {
    joined = interleaved(maps);
  }
  add_echoes_of(maps, joined);
  return joined;
}

}  // namespace collio::core
