// Text that fits keeps its beginning and its end.
#include "core/shortened.hpp"

#include <gtest/gtest.h>

namespace collio::core {
namespace {

TEST(Shortened, LeavesTextThatFits) {
  EXPECT_EQ(shortened("", 16), "");
  EXPECT_EQ(shortened("0123456789abcdef", 16), "0123456789abcdef");
}

TEST(Shortened, KeepsBothEnds) {
  EXPECT_EQ(shortened("0123456789abcdefg", 16), "012345...abcdefg");
  EXPECT_EQ(shortened("0123456789abcdefg", 17), "0123456789abcdefg");
  EXPECT_EQ(shortened(std::string(1000, 'x') + "; run collio fsck", 40).size(), 40U);
  EXPECT_EQ(shortened("cannot open /" + std::string(1000, 'x') + ": run fsck", 32),
            "cannot open /x...xxxxx: run fsck");
}

TEST(Shortened, CutsNoCharacter) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "\u00e9";  // two bytes each
  for (std::size_t most = 16; most < 40; ++most) {
    const std::string found = shortened(text, most);
    EXPECT_LE(found.size(), most);
    const std::size_t gap = found.find("...");
    EXPECT_EQ(gap % 2, 0U);
    EXPECT_EQ((found.size() - gap - 3) % 2, 0U);
  }
}

}  // namespace
}  // namespace collio::core
