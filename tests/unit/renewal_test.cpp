// That a record is renewed early, late, and seldom.
#include "observe/renewal.hpp"

#include <gtest/gtest.h>

namespace collio::observe {
namespace {

TEST(Renewal, ComesAtTheFirstEventAndWhenTheirNumberDoubles) {
  Renewal r;
  std::vector<int> written;
  for (int n = 1; n <= 20; ++n)
    if (r.due(n, 100)) written.push_back(n);
  EXPECT_EQ(written, (std::vector<int>{1, 2, 4, 8, 16}));
}

TEST(Renewal, ComesAfterPausesThatGrow) {
  Renewal r;
  EXPECT_TRUE(r.due(1000, 50));
  EXPECT_FALSE(r.due(1001, 50.9));
  EXPECT_TRUE(r.due(1002, 51));
  EXPECT_TRUE(r.due(1003, 60));
  EXPECT_FALSE(r.due(1004, 64.9));
  EXPECT_TRUE(r.due(1005, 65));
}

TEST(Renewal, IsSeldomInALongRun) {
  Renewal r;
  int written = 0;
  for (int n = 1; n <= 864000; ++n) written += r.due(n, 0.1 * n) ? 1 : 0;  // a day
  EXPECT_LE(written, 2 + 20 + 29);
  EXPECT_GE(written, 20);
}

}  // namespace
}  // namespace collio::observe
