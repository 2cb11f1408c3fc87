// Values that many hold: copies and pooled ones share memory, and a change is its holder's alone.
#include "core/shared.hpp"

#include <gtest/gtest.h>

namespace collio::core {
namespace {

using List = SharedList<int>;

TEST(Shared, CopiesShareTheirMemoryUntilOneIsChanged) {
  List one{1, 2, 3};
  List two = one;
  EXPECT_EQ(&one.get(), &two.get());
  two.edit().push_back(4);
  EXPECT_EQ(one, (List{1, 2, 3}));
  EXPECT_EQ(two, (List{1, 2, 3, 4}));
  const std::vector<int>* before = &two.get();
  two.edit()[0] = 7;
  EXPECT_EQ(&two.get(), before) << "its holder's alone";
}

TEST(Shared, EqualValuesOfAPoolShareTheirMemory) {
  SharedPool<std::vector<int>> pool;
  List one{1, 2, 3}, two{1, 2, 3}, other{1, 2};
  for (List* list : {&one, &two, &other}) pool.add(*list);
  EXPECT_EQ(&one.get(), &two.get());
  EXPECT_NE(&one.get(), &other.get());
  two.edit()[0] = 9;
  EXPECT_EQ(one[0], 1);
  pool.add(two);
  EXPECT_EQ(two, (List{9, 2, 3}));
  List three{1, 2, 3};
  pool.add(three);
  EXPECT_EQ(&three.get(), &one.get()) << "what was changed is another value";
}

TEST(Shared, APooledValueIsCopiedBeforeItsOnlyHolderChangesIt) {
  SharedPool<std::vector<int>> pool;
  List one{1};
  pool.add(one);
  one.edit()[0] = 2;
  List two{1};
  pool.add(two);
  EXPECT_EQ(two[0], 1);
  EXPECT_EQ(one[0], 2);
}

TEST(Shared, PoolsForgetWhatNobodyHolds) {
  std::weak_ptr<int> watched;
  struct Holder {
    std::shared_ptr<int> number;
    bool operator==(const Holder&) const = default;
  };
  SharedPool<std::vector<Holder>> holders;
  {
    SharedList<Holder> list{{std::make_shared<int>(5)}};
    watched = list[0].number;
    holders.add(list);
  }
  EXPECT_TRUE(watched.expired());
  EXPECT_TRUE(List().empty());
}

}  // namespace
}  // namespace collio::core
