// Rank 0's word and the crews of all ranks in one element-wise minimum.
#include "engine/open/first_word.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace collio::engine {
namespace {

constexpr CrewId crew{7, 0x8000000080000001}, other{7, 0x8000000080000002};

OpenWord heard(const std::vector<OpenWord::Words>& of_ranks) {
  OpenWord::Words least = of_ranks.front();
  for (const OpenWord::Words& words : of_ranks)
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], words[i]);
  return {least, "", MPI_COMM_NULL};
}

TEST(FirstWord, ReachesAllRanks) {
  std::string text = "any bytes: ";
  for (int byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
  EXPECT_EQ(heard({OpenWord::of({}, text), OpenWord::none(), OpenWord::none()}).text, text);
  EXPECT_EQ(heard({OpenWord::none(), OpenWord::of({}, text)}).text, text);
  EXPECT_EQ(heard({OpenWord::of({}, "")}).text, "");
}

TEST(FirstWord, TellsWhetherAllRanksKnowOneCrew) {
  EXPECT_TRUE(heard({OpenWord::of(crew, "x"), OpenWord::none(crew), OpenWord::none(crew)}).same_crew);
  EXPECT_FALSE(heard({OpenWord::of(crew, "x"), OpenWord::none(other), OpenWord::none(crew)}).same_crew);
  EXPECT_FALSE(heard({OpenWord::of(crew, "x"), OpenWord::none(), OpenWord::none(crew)}).same_crew);
  EXPECT_FALSE(heard({OpenWord::of({}, "x"), OpenWord::none()}).same_crew);
}

TEST(FirstWord, IsWhatItsTextSays) {
  FirstWord word;
  word.hints = {{"cb_nodes", "4"}, {"empty", ""}};
  word.found = {{"folders", std::string("a\0b", 3)}};
  word.storage.block_bytes = (std::int64_t{1} << 52) + 1;
  word.ticket.place = 3;
  word.memory_token = ~std::uint64_t{0};
  const FirstWord again = word_from(text_of(word), {});
  EXPECT_EQ(again.hints, word.hints);
  EXPECT_EQ(again.found, word.found);
  EXPECT_EQ(again.storage.block_bytes, word.storage.block_bytes);
  EXPECT_EQ(again.ticket.place, 3);
  EXPECT_EQ(again.memory_token, word.memory_token);
}

TEST(FirstWord, HasAllNumbersOfTheStorage) {
  FirstWord word;
  int last = 0;
  std::apply([&]<class... T>(T&... number) { ((number = static_cast<T>(++last)), ...); },
             machine::numbers_of(word.storage));
  const FirstWord again = word_from(text_of(word), {});
  EXPECT_EQ(machine::numbers_of(again.storage), machine::numbers_of(word.storage));
  EXPECT_EQ(again.storage.layout.count, last);
}

}  // namespace
}  // namespace collio::engine
