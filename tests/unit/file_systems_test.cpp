// What is known of file systems by their numbers and by the types of their mounts.
#include "storage/file_systems.hpp"

#include <gtest/gtest.h>

#include "storage/storage.hpp"

namespace collio::storage {
namespace {

using Kind = FileSystem::Kind;

TEST(FileSystems, AreKnownByTheirNumbers) {
  EXPECT_EQ(file_system(0xef53, "").name, "ext");
  EXPECT_EQ(file_system(0xef53, "ext4").kind, Kind::local);
  EXPECT_EQ(file_system(0x01021994, "tmpfs").kind, Kind::memory);
  for (const std::uint32_t magic :
       {0x6969U, 0x0bd00bd0U, 0x47504653U, 0xff534d42U, 0xfe534d42U, 0x517bU, 0x01021997U, 0x01161970U,
        0x7461636fU, 0x5346414fU, 0x6b414653U, 0xaad7aaeaU, 0x19830326U, 0x00c36400U, 0x20030528U})
    EXPECT_EQ(file_system(magic, "").kind, Kind::shared) << std::hex << magic;
}

TEST(FileSystems, QuirksGoByTheNamesThatFilesGet) {
  EXPECT_EQ(quirk_of(file_system(0x6969, "").name), Quirk::locks_all);
  EXPECT_EQ(quirk_of(file_system(0x6969, "nfs4").name), Quirk::locks_all);
  EXPECT_EQ(quirk_of(file_system(0x65735546, "fuse.ceph-fuse").name), Quirk::forgets_direct_writes);
  EXPECT_EQ(quirk_of(file_system(0x00c36400, "ceph").name), Quirk::none);
  EXPECT_EQ(quirk_of("a name that nobody knows"), Quirk::none);
}

TEST(FileSystems, WithoutANumberOfTheirOwnAreKnownByTheirMounts) {
  EXPECT_EQ(file_system(0x65735546, "").name, "fuse");
  EXPECT_EQ(file_system(0x65735546, "fuse.juicefs").name, "juicefs");
  EXPECT_EQ(file_system(0x65735546, "fuse.something").name, "fuse.something");
  EXPECT_EQ(file_system(0x65735546, "fuse.something").kind, Kind::shared);
  EXPECT_EQ(file_system(0x65735546, "virtiofs").name, "virtiofs");
  EXPECT_EQ(file_system(0x65735546, "fuseblk").kind, Kind::local);
  EXPECT_EQ(file_system(0x12345678, "wekafs").kind, Kind::shared);
  EXPECT_EQ(file_system(0x47504653, "dvs").name, "dvs");
}

TEST(FileSystems, OthersAreUnknown) {
  EXPECT_EQ(file_system(0x12345678, "").kind, Kind::unknown);
  EXPECT_EQ(file_system(0x12345678, "").name, "unknown");
  EXPECT_EQ(file_system(0x12345678, "newfs").name, "newfs");
  EXPECT_EQ(file_system(0x12345678, "newfs").kind, Kind::unknown);
}

TEST(FileSystems, TheMountTableHasTheirTypes) {
  const std::string mounts =
      "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "30 22 0:45 / /jfs rw,relatime shared:5 master:2 - fuse.juicefs JuiceFS:x rw\n"
      "31 22 0:46 / /with\\040space rw - nfs4 host:/x rw\n"
      "nonsense\n"
      "40 22 0:45 /sub /bind rw - fuse.juicefs JuiceFS:x rw\n";
  EXPECT_EQ(mount_type(mounts, {8, 1}), "ext4");
  EXPECT_EQ(mount_type(mounts, {0, 45}), "fuse.juicefs");
  EXPECT_EQ(mount_type(mounts, {0, 46}), "nfs4");
  EXPECT_EQ(mount_type(mounts, {0, 47}), "");
  EXPECT_EQ(mount_type("", {0, 47}), "");
}

TEST(FileSystems, OfUnknownKindAreSharedWhereAJobHasSeveralNodes) {
  const machine::StorageModel one = model_of({"newfs", Kind::unknown}, 4096);
  EXPECT_FALSE(one.behind_network());
  EXPECT_TRUE(one.unknown);
  const machine::StorageModel several = for_several_nodes(one);
  EXPECT_TRUE(several.behind_network());
  EXPECT_EQ(several.name, "newfs (unknown, taken to be shared)");
  EXPECT_GE(several.block_bytes, 1 << 20);
  EXPECT_GE(several.block_without_layout(), 1 << 20);
  const machine::StorageModel known = model_of({"xfs", Kind::local}, 4096);
  EXPECT_FALSE(for_several_nodes(known).behind_network());
}

}  // namespace
}  // namespace collio::storage
