// Values as JSON text: in any locale, and for numbers that JSON has not.
#include "mpiio/json_text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <limits>

namespace collio::mpiio {
namespace {

TEST(JsonText, NumbersHaveAPointInAnyLocale) {
  for (const char* locale : {"C", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    if (!std::setlocale(LC_NUMERIC, locale)) continue;
    EXPECT_EQ(text_of(0.5), "0.5") << locale;
    EXPECT_EQ(text_of(1234567.25e-12), "1.23456725e-06") << locale;
  }
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(text_of(0), "0");
  EXPECT_EQ(text_of(-1e300), "-1e+300");
}

TEST(JsonText, WhatIsNotFiniteIsNull) {
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(JsonText, ControlCharactersAreEscaped) {
  EXPECT_EQ(quoted("a\"b\\c\n\x1b"), "\"a\\\"b\\\\c\\u000a\\u001b\"");
  EXPECT_EQ(json_list(std::string("ab"), [](char c) { return quoted(std::string(1, c)); }), "[\"a\", \"b\"]");
}

}  // namespace
}  // namespace collio::mpiio
