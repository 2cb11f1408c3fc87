// Maps of pieces against a table of bytes.
#include "core/piece_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace collio::core {
namespace {

using Pieces = std::vector<MappedPiece>;

/// File offset of every memory byte that is read.
std::map<std::int64_t, std::int64_t> table_of(const Pieces& pieces) {
  std::map<std::int64_t, std::int64_t> table;
  for (const MappedPiece& piece : pieces)
    for (std::int64_t i = 0; i < piece.length; ++i) table[piece.memory + i] = piece.file + i;
  return table;
}

/// What a read by the map brings: each file byte once, then the echoes.
std::map<std::int64_t, std::int64_t> read_by(const PieceMap& map) {
  std::map<std::int64_t, std::int64_t> table;
  for_each_piece(map, [&](const MappedPiece& piece) {
    for (std::int64_t i = 0; i < piece.length; ++i)
      EXPECT_TRUE(table.emplace(piece.memory + i, piece.file + i).second);
  });
  for (const Echo& echo : map.echoes)
    for (std::int64_t i = 0; i < echo.length; ++i) {
      EXPECT_EQ(table.at(echo.from + i), echo.file + i);
      table[echo.to + i] = echo.file + i;
    }
  return table;
}

/// Pieces at any place in the file, each somewhere else in memory.
Pieces random_pieces(std::mt19937& rng, std::int64_t memory, int count, int file_bytes) {
  auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  Pieces pieces;
  for (int i = 0; i < count; ++i) {
    const std::int64_t length = pick(0, 9);
    pieces.push_back({pick(0, file_bytes), memory, length});
    memory += length + pick(0, 2);
  }
  std::shuffle(pieces.begin(), pieces.end(), rng);
  return pieces;
}

TEST(PieceMap, AnyPieces) {
  std::mt19937 rng(1);
  for (int i = 0; i < 2000; ++i) {
    const Pieces pieces = random_pieces(rng, 1000, i % 20, i % 3 == 0 ? 30 : 200);
    const PieceMap map = map_pieces(pieces);
    EXPECT_TRUE(map.file.ascending());
    EXPECT_EQ(map.file.bytes(), map.memory.bytes());
    ASSERT_EQ(read_by(map), table_of(pieces));
    Pieces moved = pieces;
    for (MappedPiece& piece : moved) piece = {3 * piece.file + 7, 3 * piece.memory - 5, 3 * piece.length};
    ASSERT_EQ(read_by(map.scaled(3).moved(7, -5)), table_of(moved));
  }
}

TEST(PieceMap, Joined) {
  std::mt19937 rng(2);
  for (int i = 0; i < 2000; ++i) {
    std::vector<PieceMap> maps;
    std::vector<PlacedMap> placed;
    Pieces all;
    const int count = i % 5;
    maps.reserve(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) {
      const Pieces pieces = random_pieces(rng, 0, 8, 50);
      maps.push_back(map_pieces(pieces));
      // Every third time one behind the other, in descending order.
      placed.push_back({&maps.back(), i % 3 == 0 ? 1000 - 100 * k : 10 * k, 10000 * (k + 1)});
      for (const MappedPiece& piece : pieces)
        all.push_back(
            {piece.file + placed.back().in_file, piece.memory + placed.back().in_memory, piece.length});
    }
    const PieceMap joined = join_maps(placed);
    EXPECT_TRUE(joined.file.ascending());
    ASSERT_EQ(read_by(joined), table_of(all));
  }
}

TEST(PieceMap, MapThatIsRepeatedIsALoop) {
  const PieceMap map = map_pieces({{0, 8, 8}, {100, 0, 8}, {150, 16, 4}});
  const PieceMap joined = join_maps({{&map, 1000, 0}, {&map, 2000, 64}, {&map, 3000, 128}});
  EXPECT_EQ(joined.file.loops().size(), 1U);
  EXPECT_EQ(joined.file.body().items(), map.file.body().items());
  EXPECT_EQ(read_by(joined).at(64), 2100);
}

TEST(PieceMap, SamePiecesElsewhereHaveTheSameList) {
  const PieceMap one = map_pieces({{10, 0, 4}, {20, 4, 4}, {33, 8, 4}}),
                 other = map_pieces({{1010, 7, 4}, {1020, 11, 4}, {1033, 15, 4}});
  EXPECT_EQ(one.file.body().hash(), other.file.body().hash());
  EXPECT_TRUE(other.memory.contiguous());
}

TEST(PieceMap, VariablesOfParticlesAreOnePieceOfTheFile) {
  const PieceMap x = map_pieces({{0, 0, 4}, {6, 4, 4}, {12, 8, 4}}),
                 mask = map_pieces({{4, 0, 2}, {10, 2, 2}, {16, 4, 2}});
  const PieceMap joined = join_maps({{&mask, 600, 5000}, {&x, 600, 100}});
  EXPECT_TRUE(joined.file.contiguous());
  EXPECT_EQ(joined.memory.pieces(), 6);
}

}  // namespace
}  // namespace collio::core
