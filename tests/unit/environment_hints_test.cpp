// Which of collio's environment variables gives a hint, and which wins where several do.
#include "engine/session/environment_hints.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"

namespace collio::engine {
namespace {

using test::Environment;

TEST(EnvironmentHints, AreAllVariablesTogether) {
  const Environment set{{"COLLIO_HINTS", "cb_nodes=4;collio_path=two_phase"}, {"COLLIO_PATIENCE", "5"}};
  const EnvironmentHints found = environment_hints("/f");
  EXPECT_EQ(found.pairs, (Pairs{{"cb_nodes", "4"}, {"collio_path", "two_phase"}, {"collio_patience", "5"}}));
  EXPECT_TRUE(found.warnings.empty());
}

TEST(EnvironmentHints, WithoutVariablesThereAreNone) {
  const Environment set{};
  EXPECT_TRUE(environment_hints("/f").pairs.empty());
}

TEST(EnvironmentHints, AVariableOfAHintsOwnWinsButFaultsGiveWayToHints) {
  const Environment set{{"COLLIO_HINTS", "collio_patience=9;collio_faults=a;collio_check=disable"},
                        {"COLLIO_PATIENCE", "5"},
                        {"COLLIO_CHECK", "1"},
                        {"COLLIO_FAULTS", "b"}};
  EXPECT_EQ(environment_hints("/f").pairs,
            (Pairs{{"collio_patience", "5"}, {"collio_faults", "a"}, {"collio_check", "enable"}}));
}

TEST(EnvironmentHints, CheckModeHasNumbersForItsWords) {
  for (const auto& [text, word] : Pairs{{"0", "disable"}, {"1", "enable"}, {"abort", "abort"}, {"2", "2"}}) {
    const Environment set{{"COLLIO_CHECK", text}};
    EXPECT_EQ(environment_hints("/f").pairs, (Pairs{{"collio_check", word}}));
  }
}

TEST(EnvironmentHints, OfRulesForPathsTheLastThatMatchesWins) {
  const Environment set{{"COLLIO_HINTS", "cb_nodes=1"},
                        {"COLLIO_SET_FOR", "*.nc: cb_nodes=2; /scratch/*: cb_nodes=3; *.h5: cb_nodes=4"}};
  EXPECT_EQ(environment_hints("/data/a.nc").pairs.at("cb_nodes"), "2");
  EXPECT_EQ(environment_hints("/scratch/a.nc").pairs.at("cb_nodes"), "3");
  EXPECT_EQ(environment_hints("/scratch/a.h5").pairs.at("cb_nodes"), "4");
  EXPECT_EQ(environment_hints("/data/a").pairs.at("cb_nodes"), "1");
  EXPECT_EQ(environment_hints("/data/x.nc/a").pairs.at("cb_nodes"), "1") << "a pattern without / is of names";
}

TEST(EnvironmentHints, CollioCanBeSwitchedOffWhateverElseIsSet) {
  const Environment set{{"COLLIO_HINTS", "collio_enable=enable"}, {"COLLIO_ENABLE", "0"}};
  EXPECT_EQ(environment_hints("/f").pairs, (Pairs{{"collio_enable", "disable"}}));
  const Environment on{{"COLLIO_ENABLE", "1"}};
  EXPECT_TRUE(environment_hints("/f").pairs.empty());
}

TEST(EnvironmentHints, AnotherWordForTheSwitchIsAHintThatIsRefusedWithAWarning) {
  const Environment set{{"COLLIO_ENABLE", "off"}};
  EXPECT_EQ(environment_hints("/f").pairs, (Pairs{{"collio_enable", "off"}}));
}

TEST(EnvironmentHints, WhatIsNoHintIsSaid) {
  const Environment set{{"COLLIO_HINTS", "cb_nodes"}};
  EXPECT_EQ(environment_hints("/f").warnings.size(), 1U);
}

}  // namespace
}  // namespace collio::engine
