// A transfer's row of system calls, with outcomes a kernel may give.
#include "storage/operation.hpp"

#include <cerrno>

#include "access/buffer.hpp"
#include "temporary_file.hpp"

namespace collio::storage {
namespace {

using test::TemporaryFile;

TEST(Operation, GoesOnWhereAShortCallEnded) {
  const TemporaryFile file;
  const auto d = Descriptors::open(file.path(), Access::read_write, false);
  ASSERT_TRUE(d.ok());
  std::byte data[100];
  Operation o = Operation::writing({1000, 100}, data);
  for (const auto& [outcome, offset] :
       {std::pair{ssize_t{30}, 1000}, {-EINTR, 1030}, {-EINTR, 1030}, {1, 1030}, {69, 1031}}) {
    ASSERT_FALSE(o.complete());
    const SystemCall call = o.next(d.value());
    EXPECT_TRUE(call.write && !call.direct);
    EXPECT_EQ(call.offset, offset);
    EXPECT_EQ(call.data, data + (offset - 1000));
    EXPECT_EQ(call.bytes, static_cast<std::size_t>(1100 - offset));
    o.book(d.value(), call, outcome);
  }
  ASSERT_TRUE(o.complete());
  const Transfer t = o.take();
  EXPECT_EQ(t.bytes, 100);
  EXPECT_TRUE(t.error.ok());
}

TEST(Operation, EndsWithTheBytesThatWentBeforeAnError) {
  const TemporaryFile file;
  const auto d = Descriptors::open(file.path(), Access::read_write, false);
  std::byte data[100];
  for (const bool write : {true, false}) {
    for (const auto& [outcome, kind] : {std::pair{-EIO, core::ErrorClass::io},
                                        {-ENOSPC, core::ErrorClass::no_space},
                                        {-EDQUOT, core::ErrorClass::quota},
                                        {0, core::ErrorClass::io}}) {
      Operation o = write ? Operation::writing({0, 100}, data) : Operation::reading({0, 100}, data);
      o.book(d.value(), o.next(d.value()), 40);
      o.book(d.value(), o.next(d.value()), outcome);
      ASSERT_TRUE(o.complete());
      const Transfer t = o.take();
      EXPECT_EQ(t.bytes, 40);
      EXPECT_EQ(t.error.kind, outcome == 0 && !write ? core::ErrorClass::none : kind) << t.error.message;
    }
  }
}

TEST(Operation, WithoutBytesIsCompleteAtOnce) { EXPECT_TRUE(Operation::writing({5, 0}, nullptr).complete()); }

TEST(Operation, CallsAreNoLongerThanTheKernelTakes) {
  const TemporaryFile file;
  const auto d = Descriptors::open(file.path(), Access::read_write, false);
  Operation o = Operation::reading({0, std::int64_t{5} << 30}, nullptr);
  EXPECT_EQ(o.next(d.value()).bytes, std::size_t{1} << 30);
}

TEST(Operation, OnlyAlignedPartsGoPastThePageCache) {
  const TemporaryFile file;
  const auto d = Descriptors::open(file.path(), Access::read_write, true);
  ASSERT_TRUE(d.ok());
  if (d.value().direct() < 0) GTEST_SKIP() << d.value().no_direct() << " in " << testing::TempDir();
  const std::int64_t a = d.value().alignment();
  const access::Buffer buffer(static_cast<std::size_t>(8 * a));
  Operation o = Operation::writing({a + 100, 3 * a},
                                   buffer.data() + 100);  // 100 over an aligned byte, as is the memory
  for (const auto& [offset, bytes, direct] :
       {std::tuple{a + 100, a - 100, false}, {2 * a, 2 * a, true}, {4 * a, std::int64_t{100}, false}}) {
    const SystemCall call = o.next(d.value());
    EXPECT_EQ(call.offset, offset);
    EXPECT_EQ(call.bytes, static_cast<std::size_t>(bytes));
    EXPECT_EQ(call.direct, direct);
    EXPECT_EQ(call.fd, direct ? d.value().direct() : d.value().buffered());
    o.book(d.value(), call, bytes);
  }
  EXPECT_TRUE(o.complete());
  Operation skewed = Operation::writing({a, 2 * a}, buffer.data() + 1);
  EXPECT_FALSE(skewed.next(d.value()).direct);
  EXPECT_EQ(skewed.next(d.value()).bytes, static_cast<std::size_t>(2 * a));
}

TEST(Operation, GoesThroughThePageCacheAfterADirectCallWasRefused) {
  const TemporaryFile file;
  const auto d = Descriptors::open(file.path(), Access::read_write, true);
  if (d.value().direct() < 0) GTEST_SKIP() << d.value().no_direct() << " in " << testing::TempDir();
  const std::int64_t a = d.value().alignment();
  const access::Buffer buffer(static_cast<std::size_t>(4 * a));
  Operation o = Operation::writing({0, 2 * a}, buffer.data());
  ASSERT_TRUE(o.next(d.value()).direct);
  o.book(d.value(), o.next(d.value()), -EINVAL);
  ASSERT_FALSE(o.complete());
  EXPECT_TRUE(o.direct_refused());
  EXPECT_FALSE(o.next(d.value()).direct);
  o.run(d.value());
  EXPECT_EQ(o.take().bytes, 2 * a);
}

}  // namespace
}  // namespace collio::storage
