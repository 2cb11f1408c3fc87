// A file in subfiles for tests.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "storage/subfiles/files.hpp"
#include "storage/subfiles/join.hpp"
#include "storage/subfiles/look.hpp"
#include "storage/subfiles/subfiled_storage.hpp"
#include "temporary_folder.hpp"

namespace collio::test {

/// Another inode with the same text, as `cp` and a restore make it.
inline void copy(const std::string& from, const std::string& to) {
  std::ofstream(to) << storage::read_text(from).value();
}

/// With bytes that count.
inline storage::SubfileSet with_bytes(storage::SubfileSet set, std::int64_t bytes) {
  set.manifest().file_bytes = bytes;
  set.manifest().complete = true;
  EXPECT_TRUE(grow_subfiles(set, {}, bytes, storage::Flush::no).ok());
  EXPECT_TRUE(write_manifest(set).ok());
  return set;
}

/// A set of subfiles in a folder of the test's own.
class Subfiles : public ::testing::Test {
 protected:
  storage::SubfileSet make(const storage::SubfileLayout& layout) {
    const std::string path = folder_ + "/out";
    const storage::OpenedFile file(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const storage::FoundFile found = storage::look_for_subfiles(path);
    EXPECT_TRUE(found.empty && found.error.ok());
    storage::Manifest m;
    m.identity = ++identity_;
    m.base = "out";
    m.inode = found.mark.inode;
    m.born = found.mark.born;
    m.layout = layout;
    storage::SubfileSet set(path, "out.collio", m);
    EXPECT_TRUE(!found.former || remove_former(*found.former).ok());
    EXPECT_TRUE(make_folder(set).ok());
    for (std::int64_t rank = 0; rank < 2; ++rank) EXPECT_TRUE(create_subfiles(set, {rank, 2}, 0666).ok());
    EXPECT_TRUE(write_placeholder(set).ok());
    return set;
  }
  static std::unique_ptr<storage::Storage> open(const storage::SubfileSet& set, policy::StorageKind kind) {
    storage::StorageRequest request;
    request.kind = kind;
    auto opened = open_subfiled(set, request, 5);
    EXPECT_TRUE(opened.ok());
    return std::move(opened.value().file);
  }

  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
  std::uint64_t identity_ = 0;
};

}  // namespace collio::test
