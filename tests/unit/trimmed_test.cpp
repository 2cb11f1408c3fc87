// Text without the blanks around it.
#include "core/trimmed.hpp"

#include <gtest/gtest.h>

namespace collio::core {
namespace {

TEST(Trimmed, TakesBlanksFromBothEndsOnly) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed("ab"), "ab");
}

TEST(Trimmed, LeavesNothingOfBlanks) {
  EXPECT_EQ(trimmed(" \t\r\n"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace collio::core
