// Subfiles whose stripes were dealt anew: the mapping against dealing one stripe after the other, what a
// manifest may say of it, and writes while the layout changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "subfile_fixture.hpp"

namespace {

using namespace collio::storage;
using collio::core::Extent;
using collio::test::Subfiles;

using Numbers = std::mt19937;
std::int64_t up_to(Numbers& random, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(0, most)(random);
}

SubfileLayout random_layout(Numbers& random, std::vector<Deal>& deals) {
  SubfileLayout layout{1 + up_to(random, 9), 2 + up_to(random, 5)};
  for (std::int64_t first = 1 + up_to(random, 8), left = up_to(random, 4); left > 0; --left) {
    Deal deal{first, {}};
    for (std::int64_t i = 0; i < layout.count; ++i)
      if (up_to(random, 2) > 0) deal.members.push_back(i);
    if (deal.members.empty()) deal.members.push_back(up_to(random, layout.count - 1));
    layout.deals.push_back(deal);
    deals.push_back(deal);
    first += 1 + up_to(random, 8);
  }
  return layout;
}

/// The subfile of each stripe, found by dealing them.
std::vector<std::int64_t> dealt(std::int64_t count, const std::vector<Deal>& deals, std::int64_t stripes) {
  std::vector<std::int64_t> members, subfiles;
  for (std::int64_t i = 0; i < count; ++i) members.push_back(i);
  std::size_t turn = 0;
  for (std::int64_t stripe = 0; stripe < stripes; ++stripe) {
    for (const Deal& deal : deals)
      if (deal.first == stripe) {
        members = deal.members;
        turn = 0;
      }
    subfiles.push_back(members[turn++ % members.size()]);
  }
  return subfiles;
}

TEST(DealtSubfiles, EveryByteIsWhereDealingPutsIt) {
  Numbers random(11);
  for (int round = 0; round < 400; ++round) {
    std::vector<Deal> deals;
    const SubfileLayout layout = random_layout(random, deals);
    const std::vector<std::int64_t> subfile_of = dealt(layout.count, deals, 60);
    std::vector<std::int64_t> filled(static_cast<std::size_t>(layout.count), 0);
    for (std::int64_t byte = 0; byte < 60 * layout.unit_bytes; ++byte) {
      const auto shares = layout.shares(byte);
      for (std::int64_t i = 0; i < layout.count; ++i)
        ASSERT_EQ(shares(i), filled[static_cast<std::size_t>(i)]) << byte << " bytes, subfile " << i;
      const std::int64_t stripe = byte / layout.unit_bytes,
                         subfile = subfile_of[static_cast<std::size_t>(stripe)];
      std::int64_t& end = filled[static_cast<std::size_t>(subfile)];
      ASSERT_EQ(layout.first_part({byte, 1}), (SubfilePart{subfile, {end, 1}}));
      ASSERT_EQ(layout.stripe_at(subfile, end / layout.unit_bytes), stripe);
      ++end;
      ASSERT_EQ(layout.file_bytes({subfile, {0, end}}), byte + 1);
    }
  }
}

TEST(DealtSubfiles, BytesBehindTheLastStripeOfASubfileCountForNothing) {
  const SubfileLayout layout{10, 3, {{4, {0, 2}}}};  // 1 has stripe 1 alone
  EXPECT_EQ(layout.file_bytes({1, {0, 10}}), 20);
  EXPECT_EQ(layout.file_bytes({1, {0, 11}}), 20);
  EXPECT_EQ(layout.file_bytes({1, {0, 10'000}}), 20);
  EXPECT_EQ((SubfileLayout{10, 3, {{1, {0, 2}}}}.file_bytes({1, {0, 5}})), 0);
  EXPECT_EQ(layout.stripe_at(1, 1), -1);
  EXPECT_EQ(layout.members_at_end(), 2);
}

Manifest example(Deals deals) {
  Manifest m;
  m.identity = 77;
  m.base = "out";
  m.layout = {4096, 4, std::move(deals)};
  m.folders = {".", "/scratch"};
  m.file_bytes = 40960;
  return m;
}

TEST(DealtSubfiles, ManifestSaysWhereStripesGo) {
  const Manifest m = example({{5, {0, 1, 3}}, {900, {3}}});
  const std::string text = text_of(m);
  EXPECT_TRUE(text.starts_with("collio subfiles 2\n"));
  EXPECT_NE(text.find("folder /scratch\ndeal 5 0 1 3\ndeal 900 3\nbytes 40960\n"), std::string::npos) << text;
  const auto read = parse_manifest(text, "m");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().layout, m.layout);
  EXPECT_TRUE(text_of(example({})).starts_with("collio subfiles 1\n")) << "as older collio reads it";
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char value : {'0', '1', '2', '9', ' ', '\n', 'x'}) {
      std::string damaged = text;
      damaged[at] = value;
      if (damaged != text) {
        ASSERT_FALSE(parse_manifest(damaged, "m").ok()) << at;
      }
    }
  const auto later = parse_manifest("collio subfiles 3\n", "m");
  EXPECT_NE(later.error().message.find("reads versions 1 and 2"), std::string::npos);
}

TEST(DealtSubfiles, ManifestThatDealsWronglyIsRefused) {
  const std::vector<Deals> wrong{{{0, {0, 1}}},       {{5, {}}},   {{5, {0, 4}}},  {{5, {1, 0}}},
                                 {{5, {1, 1}}},       {{-1, {0}}}, {{5, {-1, 2}}}, {{5, {0}}, {5, {1}}},
                                 {{5, {0}}, {4, {1}}}};
  for (const Deals& deals : wrong) EXPECT_FALSE(parse_manifest(text_of(example(deals)), "m").ok());
}

TEST(DealtSubfiles, ManifestHasAThousandDealsAtMost) {
  Deals deals;
  for (std::int64_t i = 1; i <= 1000; ++i) deals.push_back({i, {0}});
  EXPECT_TRUE(parse_manifest(text_of(example(deals)), "m").ok());
  deals.push_back({1001, {0}});
  EXPECT_FALSE(parse_manifest(text_of(example(deals)), "m").ok());
}

/// Of one handle, while others change what the file's stripes are dealt to.
TEST_F(Subfiles, StripesDealtAnewHoldWhatIsWritten) {
  Numbers random(3);
  SubfileSet set = make({16, 4});
  const auto in_force = std::make_shared<LayoutInForce>(set.layout());
  StorageRequest request;
  auto opened = open_subfiled(set, request, 0, in_force);
  ASSERT_TRUE(opened.ok());
  Storage& file = *opened.value().file;
  std::vector<std::byte> model;
  for (int step = 0; step < 60; ++step) {
    const auto end = static_cast<std::int64_t>(model.size());
    const Extent extent{up_to(random, end), 1 + up_to(random, 100)};
    std::vector<std::byte> data(static_cast<std::size_t>(extent.length));
    for (std::byte& one : data) one = static_cast<std::byte>(up_to(random, 255));
    const Transfer moved =
        step % 2 ? file.write(extent, data.data()) : file.finish(file.start_write(extent, data.data()));
    ASSERT_EQ(moved.bytes, extent.length);
    model.resize(static_cast<std::size_t>(std::max(end, extent.end())));
    std::ranges::copy(data, model.begin() + extent.offset);
    if (step % 10 == 9) {
      LayoutInForce::Hold hold(*in_force);
      ASSERT_EQ(in_force->written_end(), static_cast<std::int64_t>(model.size()));
      SubfileLayout layout = *in_force->now();
      const std::int64_t without = step / 10 % 4;
      Deal deal{(in_force->written_end() + 15) / 16, {}};
      for (std::int64_t i = 0; i < 4; ++i)
        if (i != without) deal.members.push_back(i);
      layout.deals.push_back(deal);
      set.manifest().layout = layout;
      hold.replace(layout);
    }
    std::vector<std::byte> all(model.size());
    ASSERT_EQ(file.read({0, static_cast<std::int64_t>(all.size())}, all.data()).bytes,
              static_cast<std::int64_t>(all.size()));
    ASSERT_EQ(all, model);
    ASSERT_EQ(length_by(set, {}).value(), static_cast<std::int64_t>(model.size()));
  }
}

TEST(LayoutInForce, NoWriteBeginsWhileItIsHeld) {
  LayoutInForce layout(SubfileLayout{16, 4});
  std::atomic<bool> began = false;
  std::thread writer;
  {
    LayoutInForce::Hold hold(layout);
    writer = std::thread([&] {
      const auto mine = layout.for_write({100, 10});
      EXPECT_EQ(mine->deals.size(), 1u);
      began = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(began);
    EXPECT_EQ(layout.written_end(), 0);
    hold.replace({16, 4, {{1, {0}}}});
  }
  writer.join();
  EXPECT_EQ(layout.written_end(), 110);
}

}  // namespace
