// Layouts as file systems tell them: golden values, each from a source named beside it, and broken ones.
#include "storage/layouts/layouts.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>

#include "storage/layouts/beegfs.hpp"
#include "storage/layouts/ceph.hpp"
#include "storage/layouts/gpfs.hpp"
#include "storage/layouts/lab.hpp"
#include "storage/layouts/lustre.hpp"
#include "temporary_file.hpp"

namespace collio::storage {
namespace {

using Bytes = std::vector<std::byte>;

/// Bytes in hexadecimal, spaces between them for people.
Bytes hex(std::string_view text) {
  Bytes bytes;
  std::string digits;
  for (const char sign : text)
    if (sign != ' ' && sign != '\n') digits += sign;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A struct lov_user_md_v1 of lustre_user.h: magic, pattern, object id, stripe size, count, generation; then a
// lov_user_ost_data_v1 (object id, generation, index) for each stripe.
const Bytes v1_head =
    hex("d00bd10b 01000000"
        "00040000 00000000 01000000 00000000"
        "00001000 0200 0000");
const Bytes object_on_5 = hex("0a000000 00000000 00000000 00000000 00000000 05000000");
const Bytes object_on_2 = hex("0b000000 00000000 00000000 00000000 00000000 02000000");
// The same with a pool's name: lov_user_md_v3.
const Bytes v3_head =
    hex("d00bd30b 01000000"
        "00040000 00000000 01000000 00000000"
        "00004000 0100 0000"
        "666c6173 68000000 00000000 00000000");

/// lov_comp_md_v1 of `size` bytes with some components.
Bytes composite_head(unsigned size, unsigned components) {
  Bytes head = hex("d00bd60b 00000000 03000000 0000 0000 0000 00 00 00000000 00000000 00000000");
  std::memcpy(head.data() + 4, &size, 4);
  std::memcpy(head.data() + 14, &components, 2);
  return head;
}

constexpr std::uint64_t end_of_file = ~std::uint64_t{0};

/// Of lov_comp_md_entry_v1.
struct Component {
  std::uint32_t id = 0, flags = 0;
  std::uint64_t begin = 0, end = end_of_file;
  std::uint32_t offset = 0, size = 0;
};

Bytes entry_of(const Component& c) {
  Bytes entry(48);
  std::memcpy(entry.data(), &c.id, 4);
  std::memcpy(entry.data() + 4, &c.flags, 4);
  std::memcpy(entry.data() + 8, &c.begin, 8);
  std::memcpy(entry.data() + 16, &c.end, 8);
  std::memcpy(entry.data() + 24, &c.offset, 4);
  std::memcpy(entry.data() + 28, &c.size, 4);
  return entry;
}

/// Of a progressive layout: 1 stripe of 1 MiB up to 16 MiB, then 2 of 1 MiB that have no objects yet.
Bytes progressive() {
  const Bytes first = v3_head + object_on_5;
  Bytes last = v1_head;
  const auto begin = static_cast<unsigned>(32 + 2 * 48);
  const auto middle = static_cast<unsigned>(begin + first.size());
  return composite_head(static_cast<unsigned>(middle + last.size()), 2) +
         entry_of({0x10001, 0x10, 0, 16 << 20, begin, static_cast<unsigned>(first.size())}) +
         entry_of({0x10002, 0, 16 << 20, end_of_file, middle, static_cast<unsigned>(last.size())}) + first +
         last;
}

TEST(Layouts, LustreVersion1) {
  const auto layout = parse_lustre(v1_head + object_on_5 + object_on_2);
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout.value().unit_bytes, 1 << 20);
  EXPECT_EQ(layout.value().count, 2);
  EXPECT_EQ(layout.value().targets, (std::vector{5, 2}));
  EXPECT_EQ(layout.value().source, "lustre.lov v1");
}

TEST(Layouts, LustreVersion3) {
  const auto layout = parse_lustre(v3_head + object_on_5);
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout.value().unit_bytes, 4 << 20);
  EXPECT_EQ(layout.value().targets, std::vector{5});
}

TEST(Layouts, LustreLastComponentCounts) {
  const auto layout = parse_lustre(progressive());
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout.value().unit_bytes, 1 << 20);
  EXPECT_EQ(layout.value().count, 2);
  EXPECT_TRUE(layout.value().targets.empty());
  EXPECT_NE(layout.value().source.find("16777216"), std::string::npos);
}

TEST(Layouts, LustreStaleMirrorsAreLeftOut) {
  const Bytes part = v3_head + object_on_5;
  const auto size = static_cast<unsigned>(part.size());
  const Bytes two = composite_head(128 + 2 * size, 2) + entry_of({0x10001, 0x11, 0, end_of_file, 128, size}) +
                    entry_of({0x20001, 0x10, 0, end_of_file, 128 + size, size}) +
                    (v1_head + Bytes(size - 32)) + part;
  const auto layout = parse_lustre(two);
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout.value().unit_bytes, 4 << 20);
}

TEST(Layouts, LustreFilesWithoutStripesSaySo) {
  Bytes on_metadata = v1_head;
  on_metadata[5] = std::byte{0x01};  // LOV_PATTERN_MDT
  EXPECT_FALSE(parse_lustre(on_metadata).ok());
  EXPECT_FALSE(parse_lustre(hex("d00bd70b") + Bytes(60)).ok());  // LOV_USER_MAGIC_FOREIGN
  Bytes none = v1_head;
  none[28] = std::byte{0};
  EXPECT_FALSE(parse_lustre(none).ok());
  Bytes no_length = v1_head;
  no_length[26] = std::byte{0};
  EXPECT_FALSE(parse_lustre(no_length).ok());
}

TEST(Layouts, LustreTruncatedAnywhereIsAnErrorOrHasNoTargets) {
  for (const Bytes& whole : {v1_head + object_on_5 + object_on_2, v3_head + object_on_5, progressive()})
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const auto layout = parse_lustre(std::span(whole).first(length));
      if (layout) {
        EXPECT_TRUE(length == 32 || length == 48) << length;
        EXPECT_TRUE(layout.value().targets.empty());
      } else {
        EXPECT_NE(layout.error().message.find("lustre.lov"), std::string::npos);
      }
    }
}

/// Under a sanitizer no changed byte may lead outside of the value.
TEST(Layouts, LustreCorruptAnywhereIsNoHarm) {
  for (Bytes whole : {v1_head + object_on_5 + object_on_2, progressive()})
    for (std::byte& changed : whole) {
      const std::byte before = changed;
      for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0xffU}) {
        changed = static_cast<std::byte>(value);
        if (const auto layout = parse_lustre(whole)) {
          EXPECT_GT(layout.value().unit_bytes, 0);
          EXPECT_GE(layout.value().count, 0);
        }
      }
      changed = before;
    }
}

TEST(Layouts, LustreWishesReadAsTheyWereMeant) {
  const auto wished = lustre_value({4 << 20, 12});
  ASSERT_TRUE(wished.ok());
  const auto& value = wished.value();
  const auto layout = parse_lustre(value);
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout.value().unit_bytes, 4 << 20);
  EXPECT_EQ(layout.value().count, 12);
  EXPECT_EQ(std::to_integer<int>(value[30]), 0xff);  // on any targets
}

/// As llapi_file_open_param() of liblustreapi fills it in for `lfs setstripe -o`.
TEST(Layouts, LustreIsAskedForATargetByItsNumber) {
  const auto wished = lustre_value({1 << 20, 2, {5, 2}});
  ASSERT_TRUE(wished.ok());
  EXPECT_EQ(wished.value(), hex("d00bd50b 01000000"
                                "00000000 00000000 00000000 00000000"
                                "00001000 0200 0500"
                                "00000000 00000000 00000000 00000000") +
                                hex("00000000 00000000 00000000 00000000 00000000 05000000") +
                                hex("00000000 00000000 00000000 00000000 00000000 02000000"));
}

TEST(Layouts, LustreHasRoomForSoManyTargets) {
  EXPECT_EQ(std::to_integer<int>(lustre_value({0, 65535}).value()[28]), 0xff);
  const auto many = lustre_value({0, 65537});
  ASSERT_FALSE(many.ok());
  EXPECT_EQ(many.error().message, "striping_factor=65537: Lustre takes 1 to 65535, which means all targets");
}

TEST(Layouts, StripesLongerThanAGibibyteAreNotUsed) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  EXPECT_EQ(checked_layout({gib, 4, {}, "a test"}).unit_bytes, gib);
  const machine::Layout layout = checked_layout({gib + 1, 2, {3, 4}, "a test"});
  EXPECT_FALSE(layout.known());
  EXPECT_EQ(layout.count, 0);
  EXPECT_EQ(layout.source, "a test: stripes of 1073741825 bytes; collio uses those of up to 1073741824");
}

TEST(Layouts, WhatAFileSystemSaysHasNoControlBytes) {
  using namespace std::string_literals;
  EXPECT_EQ(checked_layout({1, 1, {}, "a\0b\n\x1b\x7f c\xc3\xa9"s}).source, "a?b??? c\xc3\xa9");
}

TEST(Layouts, OnlyTheEmptyFileThatWasMadeIsRemoved) {
  const test::TemporaryFile file, other;
  const int fd = ::open(file.path().c_str(), O_WRONLY);
  const Holder made = Holder::with(fd);
  remove_made(other.path(), made);
  EXPECT_EQ(::access(other.path().c_str(), F_OK), 0) << "another file has the name";
  remove_made(file.path(), {});
  ASSERT_EQ(::write(fd, "x", 1), 1);
  remove_made(file.path(), made);
  EXPECT_EQ(::access(file.path().c_str(), F_OK), 0) << "it has bytes";
  ASSERT_EQ(::ftruncate(fd, 0), 0);
  remove_made(file.path(), made);
  EXPECT_NE(::access(file.path().c_str(), F_OK), 0);
  ::close(fd);
}

// Ceph's documentation, "File Layouts", reading layouts with getfattr.
TEST(Layouts, Ceph) {
  const auto usual = parse_ceph("stripe_unit=4194304 stripe_count=1 object_size=4194304 pool=cephfs_data");
  ASSERT_TRUE(usual.ok()) << usual.error().message;
  EXPECT_EQ(usual.value().unit_bytes, 4 << 20);
  EXPECT_FALSE(usual.value().dealt());
  const auto dealt =
      parse_ceph("stripe_unit=65536 stripe_count=8 object_size=4194304 pool=a pool_namespace=b");
  ASSERT_TRUE(dealt.ok());
  EXPECT_EQ(dealt.value().unit_bytes, 65536);
  EXPECT_EQ(dealt.value().count, 8);
  const auto long_objects = parse_ceph("stripe_unit=65536 stripe_count=1 object_size=4194304");
  ASSERT_TRUE(long_objects.ok());
  EXPECT_EQ(long_objects.value().unit_bytes, 4 << 20);
}

TEST(Layouts, CorruptCephValuesAreErrors) {
  for (const char* value :
       {"", "stripe_unit", "stripe_unit=4194304",
        "stripe_unit=4194304 stripe_count=1 object_size=", "stripe_unit=0 stripe_count=1 object_size=4194304",
        "stripe_unit=4194304 stripe_count=0 object_size=4194304",
        "stripe_unit=4194304 stripe_count=-1 object_size=4194304",
        "stripe_unit=3 stripe_count=1 object_size=4", "stripe_unit=4MiB stripe_count=1 object_size=4194304",
        "stripe_unit=99999999999999999999 stripe_count=1 object_size=4194304",
        "stripe_unit=65536 stripe_count=9999999999 object_size=65536"})
    EXPECT_FALSE(parse_ceph(value).ok()) << value;
}

TEST(Layouts, CephWishesAreObjectsOfWholeStripes) {
  EXPECT_EQ(ceph_value({1 << 20, 4}).value(), "stripe_unit=1048576 stripe_count=4 object_size=4194304");
  EXPECT_EQ(ceph_value({0, 4}).value(), "stripe_unit=4194304 stripe_count=4 object_size=4194304");
  EXPECT_EQ(ceph_value({3 << 20, 0}).value(), "stripe_unit=3145728 stripe_count=1 object_size=6291456");
  EXPECT_FALSE(ceph_value({1000, 4}).ok());
  EXPECT_FALSE(ceph_value({1 << 20, 1, {3}}).ok());
}

// BeegfsIoctl_GetStripeInfo_Arg of beegfs_ioctl.h: pattern 1 (RAID0), chunks of 512 KiB, 4 targets.
TEST(Layouts, BeeGfs) {
  const Bytes answer = hex("01000000 00000800 0400 0000");
  const auto layout = parse_beegfs(answer);
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout.value().unit_bytes, 512 << 10);
  EXPECT_EQ(layout.value().count, 4);
  for (std::size_t length = 0; length < answer.size(); ++length)
    EXPECT_FALSE(parse_beegfs(std::span(answer).first(length)).ok());
  EXPECT_FALSE(parse_beegfs(hex("00000000 00000800 0400 0000")).ok());
  EXPECT_FALSE(parse_beegfs(hex("09000000 00000800 0400 0000")).ok());
  EXPECT_FALSE(parse_beegfs(hex("01000000 00000000 0400 0000")).ok());
  EXPECT_FALSE(parse_beegfs(hex("01000000 00000800 0000 0000")).ok());
}

// IBM Storage Scale's mmcrfs: blocks of 64 KiB to 16 MiB.
TEST(Layouts, GpfsTellsItsBlock) {
  EXPECT_EQ(gpfs_layout(4 << 20).value().unit_bytes, 4 << 20);
  EXPECT_FALSE(gpfs_layout(4 << 20).value().dealt());
  for (const std::int64_t block : {0, 4096, 3 << 20, 32 << 20, -1})
    EXPECT_FALSE(gpfs_layout(block).ok()) << block;
}

TEST(Layouts, Lab) {
  const auto layout = parse_lab("unit=65536 targets=2,3,0,1\n");
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout.value().unit_bytes, 65536);
  EXPECT_EQ(layout.value().targets, (std::vector{2, 3, 0, 1}));
  EXPECT_EQ(layout.value().count, 4);
  for (const char* value :
       {"", "unit=65536", "targets=1,2", "unit=0 targets=1", "unit=-1 targets=1",
        "unit=1 targets=", "unit=1 targets=1,", "unit=1 targets=,1", "unit=1 targets=1;2",
        "unit=1 targets=-1", "unit=1 targets=4096", "unit=99999999999999999999 targets=1"})
    EXPECT_FALSE(parse_lab(value).ok()) << value;
  EXPECT_EQ(lab_value({65536, 3}), "unit=65536 count=3");
  EXPECT_EQ(lab_value({0, 3}), "count=3");
  EXPECT_EQ(lab_value({65536, 3, {4, 0, 7}}), "unit=65536 targets=4,0,7");
  EXPECT_EQ(lab_value({0, 1, {2}}), "targets=2");
}

TEST(Layouts, OfOtherFileSystemsAreNotKnown) {
  const test::TemporaryFile file;
  const machine::Layout layout = find_layout(file.path());
  EXPECT_FALSE(layout.known());
  EXPECT_NE(layout.source.find("reports no layout"), std::string::npos) << layout.source;
  EXPECT_FALSE(create_with_layout(file.path() + ".new", {1 << 20, 2}).set);
  EXPECT_FALSE(lay_out_empty_file(file.path(), {1 << 20, 2}).set);
  EXPECT_TRUE(folder_has_layout(file.path()));
}

}  // namespace
}  // namespace collio::storage
