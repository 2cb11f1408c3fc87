// Equal values of several open files share memory as long as one of them has it.
#include "engine/open/pooled.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace collio::engine {
namespace {

using List = core::Shared<std::vector<std::string>>;

List list(std::vector<std::string> words) {
  List made;
  made.edit() = std::move(words);
  return made;
}

TEST(Pooled, EqualValuesShareMemoryAndOthersDoNot) {
  List one = list({"a", "b"}), same = list({"a", "b"}), other = list({"a", "c"});
  ASSERT_NE(&one.get(), &same.get());
  for (List* each : {&one, &same, &other}) pool(*each);
  EXPECT_EQ(&one.get(), &same.get());
  EXPECT_NE(&one.get(), &other.get());
  EXPECT_EQ(other.get(), (std::vector<std::string>{"a", "c"}));
}

TEST(Pooled, AChangeIsTheOwnersAlone) {
  List one = list({"x"}), same = list({"x"});
  pool(one);
  pool(same);
  one.edit().push_back("y");
  EXPECT_EQ(same.get(), (std::vector<std::string>{"x"}));
}

}  // namespace
}  // namespace collio::engine
