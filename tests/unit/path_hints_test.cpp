// Rules of hints by path: what is a rule, and the message about what is none.
#include "policy/hints/path_hints.hpp"

#include <gtest/gtest.h>

namespace collio::policy {
namespace {

using Pairs = std::map<std::string, std::string>;

std::vector<PathHints> parsed(const std::string& text) {
  std::vector<std::string> warnings;
  auto rules = parse_path_hints(text, warnings);
  EXPECT_TRUE(warnings.empty()) << text << ": " << warnings[0];
  return rules;
}

TEST(PathHints, ARuleIsAPatternAndItsHints) {
  const auto rules = parsed(" *.nc: cb_nodes=4, collio_path=two_phase ;/scratch/*:striping_factor=-1;");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].pattern, "*.nc");
  EXPECT_EQ(rules[0].hints, (Pairs{{"cb_nodes", "4"}, {"collio_path", "two_phase"}}));
  EXPECT_EQ(rules[1].pattern, "/scratch/*");
  EXPECT_EQ(rules[1].hints, (Pairs{{"striping_factor", "-1"}}));
  EXPECT_TRUE(parsed("").empty());
  EXPECT_TRUE(parsed(" ; ;").empty());
}

TEST(PathHints, ColonsAndCommasOfPatternsAndValuesStay) {
  const auto rules =
      parsed("/a:b/*: cb_config_list=n1:2,*:1, cb_nodes=3; x: collio_faults=all:read:delay=0.5");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].pattern, "/a:b/*");
  EXPECT_EQ(rules[0].hints, (Pairs{{"cb_config_list", "n1:2,*:1"}, {"cb_nodes", "3"}}));
  EXPECT_EQ(rules[1].hints, (Pairs{{"collio_faults", "all:read:delay=0.5"}}));
}

TEST(PathHints, WhatIsNoRuleIsNamedAndTheOthersHold) {
  for (const std::string wrong : {"*.nc", "*.nc:", "*.nc cb_nodes=4", ": cb_nodes=4", "*.nc: cb_nodes",
                                  "*.nc: =4", "*.nc: cb_nodes=", "*.nc: cb nodes=4"}) {
    std::vector<std::string> warnings;
    EXPECT_EQ(parse_path_hints(wrong + "; *.h5: cb_nodes=2", warnings).size(), 1U) << wrong;
    ASSERT_EQ(warnings.size(), 1U) << wrong;
    EXPECT_EQ(warnings[0],
              "COLLIO_SET_FOR: '" + wrong + "' is not PATTERN: key=value, key=value; it is ignored");
  }
}

}  // namespace
}  // namespace collio::policy
