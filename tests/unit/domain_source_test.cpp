// An access cut into domains and rounds: what the descriptions of all rounds say is the access again.
#include "transport/messages/domain_source.hpp"

#include <gtest/gtest.h>

#include <map>

#include "random_access.hpp"

namespace collio::transport {
namespace {

using test::Dice;

policy::Domains random_domains(Dice& dice, const core::Extent& span) {
  policy::CutRequest r;
  const std::int64_t room = dice.pick(0, 300);
  r.span = {std::max<std::int64_t>(0, span.offset - room), 0};
  r.span.length = span.end() + dice.pick(0, 300) - r.span.offset;
  r.aggregators = static_cast<int>(dice.pick(1, 6));
  const std::int64_t alignments[] = {1, 64, 4096};
  r.alignment_bytes = alignments[dice.pick(0, 2)];
  const std::int64_t windows[] = {17, 256, 1000, 1 << 20};
  r.window_bytes = windows[dice.pick(0, 3)];
  return policy::cut_evenly(r);
}

/// Bytes a description names; the items must fill exactly the encoded length that it tells.
test::Bytes decoded(const Description& d) {
  test::Bytes out;
  core::PackedReader reader(d.extents.data(), {d.header.shift, false}, d.header.span.offset);
  std::int64_t pieces = 0;
  for (std::int64_t i = 0; i < d.header.items; ++i) {
    const core::Run run = reader.next();
    test::append_bytes(out, run);
    pieces += run.count;
  }
  EXPECT_EQ(pieces, d.header.pieces);
  EXPECT_EQ(reader.position() - d.extents.data() + core::varint_slack, d.header.extents_bytes);
  EXPECT_LE(d.header.extents_bytes, static_cast<std::int64_t>(d.extents.size()));
  return out;
}

/// Walks all domains and calls each(domain, description) for every round.
template <class Each>
void for_every_round(const access::FileAccess& access, const policy::Domains& domains, Each&& each) {
  if (access.bytes == 0) return;
  for (int a = 0; a < domains.count; ++a) {
    DomainSource source(access, domains, a);
    Description d;
    while (source.next_round() != no_round) {
      const std::int64_t round = source.next_round(), bytes = source.next_bytes();
      EXPECT_TRUE(source.describe(d));
      ASSERT_EQ(d.header.round, round);
      ASSERT_EQ(d.header.next_round, source.next_round());
      ASSERT_TRUE(source.next_round() == no_round || source.next_round() > round);
      ASSERT_EQ(d.header.data_bytes(), bytes);
      each(a, d);
      if (testing::Test::HasFatalFailure()) return;
    }
    ASSERT_EQ(source.next_bytes(), 0);
  }
}

TEST(DomainSource, DescriptionsOfAllRoundsAreTheAccess) {
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const test::KnownAccess known = test::random_access(dice, test::random_type(dice));
    const policy::Domains domains = random_domains(dice, known.access.span);
    test::Bytes all;
    for_every_round(known.access, domains, [&](int a, const Description& d) {
      ASSERT_EQ(d.stream_begin, static_cast<std::int64_t>(all.size()));
      const core::Extent window = domains.window(a, d.header.round);
      const test::Bytes bytes = decoded(d);
      ASSERT_FALSE(bytes.empty());
      ASSERT_GE(bytes.front(), window.offset);
      ASSERT_LT(bytes.back(), window.end());
      ASSERT_EQ(d.header.span, (core::Extent{bytes.front(), bytes.back() + 1 - bytes.front()}));
      all.insert(all.end(), bytes.begin(), bytes.end());
    });
    if (HasFatalFailure()) return;
    ASSERT_EQ(all, known.bytes);
  }
}

TEST(DomainSource, SumsOfRanksThatTileTheSpanTileEveryWindow) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    // Pieces of random length, dealt to the ranks at random, without a hole.
    const std::int64_t ranks = dice.pick(1, 8), begin = dice.pick(0, 10000);
    std::vector<std::vector<core::Run>> dealt(static_cast<std::size_t>(ranks));
    std::int64_t at = begin;
    for (std::int64_t i = 0, n = dice.pick(1, 300); i < n; ++i) {
      const std::int64_t length = dice.pick(1, 40);
      dealt[static_cast<std::size_t>(dice.pick(0, ranks - 1))].push_back({at, length, length, 1});
      at += length;
    }
    const core::Extent span{begin, at - begin};
    policy::Domains domains = random_domains(dice, span);
    std::map<std::pair<int, std::int64_t>, core::TilingSum> windows;
    core::TilingSum whole;
    for (const auto& runs : dealt) {
      const core::Pattern pattern(test::packed(runs));
      const access::View view{
          0, 1, std::make_shared<const access::TypeLayout>(access::TypeLayout{pattern, 0, pattern.high()})};
      const access::FileAccess access = access::file_access(view, 0, pattern.bytes());
      for_every_round(access, domains, [&](int a, const Description& d) {
        windows[{a, d.header.round}].add(d.header.sum);
        whole.add(d.header.sum);
      });
    }
    ASSERT_TRUE(whole.tiles(span));
    for (const auto& [where, sum] : windows) {
      const core::Extent w = domains.window(where.first, where.second);
      const std::int64_t low = std::max(w.offset, span.offset), high = std::min(w.end(), span.end());
      ASSERT_TRUE(sum.tiles({low, high - low}));
    }
  }
}

TEST(DomainSource, WithoutPiecesInItsDomainHasNoRound) {
  const access::FileAccess access = access::file_access({1 << 20, 1, nullptr}, 0, 100);
  const policy::Domains domains = policy::cut_evenly({{0, 4 << 20}, 4, 4096, 65536});
  for (int a = 0; a < domains.count; ++a)
    EXPECT_EQ(DomainSource(access, domains, a).next_round(), a == 1 ? 0 : no_round) << a;
}

TEST(DomainSource, SkipsRoundsWithoutPieces) {
  const core::Pattern two(test::packed({{0, 8, 8, 1}, {1000000, 8, 8, 1}}));
  const access::View view{0, 1,
                          std::make_shared<const access::TypeLayout>(access::TypeLayout{two, 0, two.high()})};
  const access::FileAccess access = access::file_access(view, 0, 16);
  const policy::Domains domains = policy::cut_evenly({{0, 1000008}, 1, 1, 1000});
  DomainSource source(access, domains, 0);
  Description d;
  EXPECT_TRUE(source.describe(d));
  EXPECT_EQ(d.header.round, 0);
  EXPECT_EQ(d.header.next_round, domains.round_of(0, 1000000));
  EXPECT_TRUE(source.describe(d));
  EXPECT_EQ(d.header.next_round, no_round);
}

}  // namespace
}  // namespace collio::transport
