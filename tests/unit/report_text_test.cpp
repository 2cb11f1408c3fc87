// The report's records as JSON text: in any locale, for numbers that JSON has not, for texts that are no
// UTF-8; and the counters' sums.
#include "observe/report_text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <limits>
#include <nlohmann/json.hpp>

namespace collio::observe::report {
namespace {

using Json = nlohmann::ordered_json;

File file_that_opened_in(double seconds) {
  File file;
  file.seconds.open.max = seconds;
  return file;
}

bool holds(const File& file, const std::string& text) {
  return text_of(file).find(text) != std::string::npos;
}

TEST(ReportText, NumbersHaveAPointInAnyLocale) {
  for (const char* locale : {"C", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    if (!std::setlocale(LC_NUMERIC, locale)) continue;
    EXPECT_TRUE(holds(file_that_opened_in(0.5), "\"max\":0.5}")) << locale;
    EXPECT_TRUE(holds(file_that_opened_in(1234567.25e-12), "\"max\":1.23456725e-06}")) << locale;
  }
  std::setlocale(LC_NUMERIC, "C");
}

TEST(ReportText, NumbersHaveNineDigits) {
  EXPECT_TRUE(holds(file_that_opened_in(0.1 + 0.2), "\"max\":0.3}"));
  EXPECT_TRUE(holds(file_that_opened_in(1.0 / 3), "\"max\":0.333333333}"));
}

TEST(ReportText, WhatIsNotFiniteIsNull) {
  EXPECT_TRUE(holds(file_that_opened_in(std::numeric_limits<double>::infinity()), "\"max\":null}"));
  EXPECT_TRUE(holds(file_that_opened_in(std::numeric_limits<double>::quiet_NaN()), "\"max\":null}"));
}

TEST(ReportText, TextsOfAnyBytesAreUtf8InOneLine) {
  File file;
  file.file = "a\"b\\c\n\x1b\xff";
  EXPECT_TRUE(holds(file, R"("file":"a\"b\\c\n\u001b)"
                          "\xef\xbf\xbd\""));
}

TEST(ReportText, WhatIsAbsentHasNoKey) {
  File file;
  file.calls.emplace_back();
  EXPECT_FALSE(holds(file, "\"network\"") || holds(file, "\"placement\"") || holds(file, "\"progress\""));
  file.network.emplace();
  EXPECT_TRUE(holds(file, R"("network":{"name":null})"));
}

TEST(ReportText, CountersOfAGroupShareAnObject) {
  File file;
  file.calls.emplace_back().counters = {.bytes = 1 << 20, .one_sided_bytes = 7, .sieved_windows = 3};
  const Json call = Json::parse(text_of(file))["calls"][0];
  EXPECT_EQ(call["bytes"], 1 << 20);
  EXPECT_EQ(call["one_sided"].dump(), R"({"transfers":0,"bytes":7})");
  EXPECT_EQ(call["windows"].dump(), R"({"packed":0,"dense":0,"piecewise":0,"sieved":3})");
}

TEST(Counters, AreSumsButForTheMost) {
  Counters sum{.pieces = 3, .most_receives = 5, .most_buffer_bytes = 1};
  sum.add({.pieces = 4, .most_receives = 2, .most_buffer_bytes = 9});
  EXPECT_EQ(sum.pieces, 7);
  EXPECT_EQ(sum.most_receives, 5);
  EXPECT_EQ(sum.most_buffer_bytes, 9);
}

}  // namespace
}  // namespace collio::observe::report
