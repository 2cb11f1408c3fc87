// Shares of windows against the bytes and pieces that ranks have.
#include "simulate/shares.hpp"

#include <gtest/gtest.h>

#include "interleaved_job.hpp"

namespace collio::simulate {
namespace {

using test::interleaved;

int each_rank(int rank) { return rank; }

TEST(Shares, AreWhatTheRanksHave) {
  const Job job = interleaved(12, 4, 100, 1000);
  const policy::Domains domains = policy::cut_evenly({job.span, 3, 4096, 65536});
  const Shares shares = shares_of(job, domains, sample_rounds(domains, 12, 1 << 30), each_rank);
  const Shares nodes = gathered(shares, [&](int rank) { return job.node_of(rank); });
  std::vector<std::int64_t> bytes(12), pieces(12);
  std::int64_t of_nodes = 0;
  for (std::size_t r = 0; r < shares.rounds().size(); ++r)
    for (int d = 0; d < 3; ++d) {
      for (const Share& s : shares.of(d, r)) {
        bytes[static_cast<std::size_t>(s.party)] += s.bytes;
        pieces[static_cast<std::size_t>(s.party)] += s.pieces;
      }
      for (const Share& s : nodes.of(d, r)) of_nodes += s.bytes;
    }
  for (std::size_t rank = 0; rank < 12; ++rank) {
    EXPECT_EQ(bytes[rank], 100'000);
    EXPECT_NEAR(static_cast<double>(pieces[rank]), 1000, 25) << "some are cut by windows";
  }
  EXPECT_EQ(of_nodes, job.span.length);
}

TEST(Shares, OfPartiesAreThoseOfTheirRanks) {
  const Job job = interleaved(12, 4, 100, 1000);
  policy::Domains dealt = policy::cut_evenly({job.span, 3, 4096, 65536});
  dealt.stripe_bytes = 8192, dealt.members = 3, dealt.domain_bytes = job.span.length;
  for (const policy::Domains& domains : {policy::cut_evenly({job.span, 3, 4096, 65536}), dealt}) {
    const std::vector<std::int64_t> rounds = sample_rounds(domains, 12, 12 * 3 * 5);
    const PartyOf party = [](int rank) { return rank < 2 ? 0 : 1 + rank / 5; };
    const Shares ranks = shares_of(job, domains, rounds, each_rank), joined = gathered(ranks, party),
                 parties = shares_of(job, domains, rounds, party);
    std::int64_t seen = 0;
    for (std::size_t r = 0; r < rounds.size(); ++r)
      for (int d = 0; d < 3; ++d) {
        const std::span<const Share> expected = joined.of(d, r), found = parties.of(d, r);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i, ++seen) {
          EXPECT_EQ(found[i].party, expected[i].party);
          EXPECT_EQ(found[i].bytes, expected[i].bytes);
          EXPECT_EQ(found[i].pieces, expected[i].pieces);
          EXPECT_EQ(found[i].ranks, expected[i].ranks);
        }
      }
    EXPECT_GT(seen, 0);
  }
}

TEST(Shares, PiecesOfNeighboursAreJoined) {
  const Job job = interleaved(12, 4, 100, 1000);
  const policy::Domains domains = policy::cut_evenly({job.span, 3, 4096, 65536});
  const auto kept = [&](int ranks) {
    const PartyOf party = [&](int rank) { return rank / ranks; };
    return coalescing(job, domains, shares_of(job, domains, sample_rounds(domains, 12, 1 << 30), party),
                      party);
  };
  EXPECT_DOUBLE_EQ(kept(1), 1);
  EXPECT_NEAR(kept(4), 0.25, 0.01);
  EXPECT_NEAR(kept(12), 0, 0.01);
}

TEST(Shares, AFewRoundsStandForMany) {
  const Job job = interleaved(12, 4, 100, 100'000);
  const policy::Domains domains = policy::cut_evenly({job.span, 3, 4096, 65536});
  const std::vector<std::int64_t> rounds = sample_rounds(domains, 12, 12 * 3 * 10);
  ASSERT_EQ(rounds.size(), 10U);
  EXPECT_EQ(rounds.front(), 0);
  EXPECT_LT(rounds.back(), domains.most_rounds());
  EXPECT_EQ(sample_rounds(domains, 12, 1 << 30).size(), static_cast<std::size_t>(domains.most_rounds()));
}

TEST(Shares, DigestsAreThoseOfTheRanks) {
  const policy::Digest digest = digest_of(interleaved(12, 4, 128, 1000));
  EXPECT_EQ(digest.low, 0);
  EXPECT_EQ(digest.high, 12 * 128'000);
  EXPECT_EQ(digest.bytes, 12 * 128'000);
  EXPECT_EQ(digest.pieces, 12'000);
  EXPECT_EQ(digest.most_pieces, 1000);
  EXPECT_EQ(digest.active_ranks, 12);
  EXPECT_TRUE(digest.interleaved());
  EXPECT_EQ(digest.offset_bits & 127, 0) << "all ends of pieces are multiples of 128";
}

}  // namespace
}  // namespace collio::simulate
