// Writes that somebody looks on at.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <vector>

#include "storage/kinds.hpp"
#include "temporary_folder.hpp"

namespace {

namespace policy = collio::policy;
using namespace collio::storage;

/// Says no after so many bytes.
class Enough final : public WriteWatch {
 public:
  bool wanted() override { return bytes < (1 << 20); }
  void took(std::int64_t more, double seconds) override {
    bytes += more;
    EXPECT_GT(seconds, 0);
    EXPECT_LE(more, 256 << 10) << "so much at a time";
  }
  std::atomic<std::int64_t> bytes = 0;
};

TEST(WriteWatch, EndsWritesThatAreNotWanted) {
  const collio::test::TemporaryFolder folder;
  for (const auto kind : {policy::StorageKind::posix, policy::StorageKind::threads}) {
    StorageRequest request;
    request.path = folder.path() + "/data";
    std::ofstream(request.path).put('x');
    request.kind = kind;
    const auto watch = std::make_shared<Enough>();
    request.watch = watch;
    auto opened = open_storage(request);
    ASSERT_TRUE(opened.ok());
    Storage& file = *opened.value().file;
    const std::vector<std::byte> data(3'000'000);
    const Transfer first = file.finish(file.start_write({5, 3'000'000}, data.data()));
    EXPECT_TRUE(first.error.ok());
    EXPECT_EQ(first.bytes, 1 << 20);
    const Transfer second = file.write({5, 16}, data.data());
    EXPECT_TRUE(second.error.ok());
    EXPECT_EQ(second.bytes, 0);
    EXPECT_EQ(watch->bytes, 1 << 20);
  }
}

}  // namespace
