// Values or errors, and which of several errors counts.
#include "core/result.hpp"

#include <gtest/gtest.h>

namespace collio::core {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> value(3), error(Error{ErrorClass::io, "broken"});
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(value.value(), 3);
  EXPECT_FALSE(error);
  EXPECT_EQ(error.error().message, "broken");
}

TEST(Result, TheHeavierErrorIsKeptAndTheFirstOfEqualOnes) {
  Error kept;
  EXPECT_TRUE(kept.ok());
  keep_worst(kept, {ErrorClass::io, "first"});
  keep_worst(kept, {ErrorClass::io, "second"});
  keep_worst(kept, {ErrorClass::access, "lighter"});
  keep_worst(kept, {});
  EXPECT_EQ(kept.message, "first");
  keep_worst(kept, {ErrorClass::no_space, "full"});
  EXPECT_EQ(kept.kind, ErrorClass::no_space);
}

}  // namespace
}  // namespace collio::core
