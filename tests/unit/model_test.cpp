// What is assumed of a file system, for any path one may name.
#include "storage/storage.hpp"
#include "temporary_file.hpp"

namespace collio::storage {
namespace {

TEST(StorageModel, IsUsableForAnyPath) {
  const test::TemporaryFile file("x");
  for (const std::string& path :
       {file.path(), testing::TempDir() + "not_made_yet", std::string("/proc/self/status"),
        std::string("/no/such/folder/file"), std::string("file_here"), std::string()}) {
    const machine::StorageModel m = model_of(path);
    EXPECT_FALSE(m.name.empty()) << path;
    EXPECT_GE(m.block_bytes, 4096) << path;
    EXPECT_EQ(m.block_bytes & (m.block_bytes - 1), 0) << path;
    EXPECT_GT(m.operation_s, 0) << path;
    EXPECT_GT(m.bandwidth_bytes_per_s, 0) << path;
  }
}

TEST(StorageModel, OfAFileIsThatOfItsFolder) {
  const test::TemporaryFile file("x");
  const machine::StorageModel there = model_of(file.path()),
                              not_yet = model_of(file.path() + ".not_made_yet");
  EXPECT_EQ(there.name, not_yet.name);
  EXPECT_EQ(there.block_bytes, not_yet.block_bytes);
}

}  // namespace
}  // namespace collio::storage
