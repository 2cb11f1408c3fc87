// That values which nobody asked for do not count as asked for when they come back.
#include "policy/hints/automatic_hints.hpp"

#include <gtest/gtest.h>

namespace collio::policy {
namespace {

using Pairs = std::map<std::string, std::string>;

TEST(AutomaticHints, AreLeftOutUnlessTheProgramChangedThem) {
  const Pairs automatic{{"cb_nodes", "4"}, {"cb_config_list", "*:1"}, {"striping_unit", "65536"}};
  Pairs info = automatic;
  info["collio_automatic"] = automatic_text(automatic, 200);
  info["romio_cb_write"] = "enable";
  EXPECT_EQ(chosen_hints(info), (Pairs{{"romio_cb_write", "enable"}}));
  info["cb_nodes"] = "8";
  EXPECT_EQ(chosen_hints(info), (Pairs{{"cb_nodes", "8"}, {"romio_cb_write", "enable"}}));
}

TEST(AutomaticHints, WithoutTheMarkAllAreTheProgramsOwn) {
  const Pairs info{{"cb_nodes", "4"}};
  EXPECT_EQ(chosen_hints(info), info);
}

TEST(AutomaticHints, TheMarkFitsIntoAnInfoValue) {
  EXPECT_EQ(automatic_text({{"a", "1"}, {"b", std::string(50, 'x')}, {"c", "2"}, {"d", "3;4"}}, 10),
            "a=1;c=2");
  EXPECT_EQ(automatic_text({}, 10), "");
}

}  // namespace
}  // namespace collio::policy
