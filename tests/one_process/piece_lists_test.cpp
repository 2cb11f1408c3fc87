// Lists of pieces in a file and in memory, as the program gives them: put together, or refused.
#include "capi/piece_lists.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace collio::capi {
namespace {

using Numbers = std::vector<std::int64_t>;

struct List {
  Numbers offsets, lengths;
  [[nodiscard]] collio_pieces pieces() const { return {std::ssize(offsets), offsets.data(), lengths.data()}; }
};

const char memory[1] = "";

core::Result<core::PieceMap> mapped(const List& file, const List* in_memory = nullptr) {
  const collio_pieces of_file = file.pieces(), of_memory = in_memory ? in_memory->pieces() : collio_pieces{};
  return map_of({&of_file, memory, in_memory ? &of_memory : nullptr});
}
std::string refusal(const List& file, const List* in_memory = nullptr) {
  const auto map = mapped(file, in_memory);
  return map ? "" : map.error().message;
}

/// Data bytes of a pattern, in its order: offset and length of each piece.
std::vector<std::pair<std::int64_t, std::int64_t>> pieces_of(const core::Pattern& pattern,
                                                             std::int64_t from = 0) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
  core::Cursor cursor(pattern);
  for (core::Run run; cursor.next_bytes(std::numeric_limits<std::int64_t>::max(), run);)
    for (std::int64_t i = 0; i < run.count; ++i)
      pieces.emplace_back(run.offset + i * run.stride - from, run.length);
  return pieces;
}

TEST(PieceLists, WithoutPiecesInMemoryItIsOnePiece) {
  const auto map = mapped({{0, 100, 50}, {10, 20, 0}});
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map.value().bytes(), 30);
  EXPECT_EQ(pieces_of(map.value().file),
            (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 10}, {100, 20}}));
}

TEST(PieceLists, PiecesOfTheTwoListsNeedNotBeAlike) {
  const List in_memory{{-40, 7, 200}, {15, 0, 15}};
  const auto map = mapped({{0, 100}, {10, 20}}, &in_memory);
  ASSERT_TRUE(map.ok());
  const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&memory[0]));
  std::int64_t bytes = 0;
  for (const auto& [offset, length] : pieces_of(map.value().memory, begin)) {
    EXPECT_TRUE((offset >= -40 && offset + length <= -25) || (offset >= 200 && offset + length <= 215))
        << offset;
    bytes += length;
  }
  EXPECT_EQ(bytes, 30);
}

TEST(PieceLists, WrongNumbersAreNamed) {
  EXPECT_EQ(refusal({{0, 8}, {4, -1}}), "the length of piece 1 in the file is -1; allowed: 0 and more");
  EXPECT_EQ(refusal({{-8}, {4}}), "the offset of piece 0 in the file is -8; allowed: 0 and more");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refusal({{most - 3}, {4}}), "the end of piece 0 in the file is at byte 2^63 or later: offset " +
                                            std::to_string(most - 3) + ", length 4");
  EXPECT_NE(refusal({{0, 0}, {most, 1}}), "") << "more bytes than a number holds";
}

TEST(PieceLists, BothListsHaveAsManyBytes) {
  const List in_memory{{0}, {9}};
  EXPECT_EQ(refusal({{0}, {10}}, &in_memory), "the pieces in the file have 10 bytes, those in memory 9");
}

TEST(PieceLists, NothingIsReadThroughNull) {
  const collio_pieces none{-1, nullptr, nullptr}, lost{1, nullptr, nullptr}, empty{0, nullptr, nullptr};
  const std::int64_t zero = 0, ten = 10;
  const collio_pieces one{1, &zero, &ten};
  EXPECT_FALSE(map_of({nullptr, memory, nullptr}).ok());
  EXPECT_FALSE(map_of({&none, memory, nullptr}).ok());
  EXPECT_FALSE(map_of({&lost, memory, nullptr}).ok());
  EXPECT_FALSE(map_of({&one, nullptr, nullptr}).ok());
  EXPECT_TRUE(map_of({&empty, nullptr, nullptr}).ok());
}

}  // namespace
}  // namespace collio::capi
