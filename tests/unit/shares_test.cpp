// Shares of windows against the bytes and pieces that ranks have.
#include "simulate/shares.hpp"

#include <gtest/gtest.h>

#include "interleaved_job.hpp"

namespace collio::simulate {
namespace {

using test::interleaved;

TEST(Shares, AreWhatTheRanksHave) {
  const Job job = interleaved(12, 4, 100, 1000);
  const policy::Domains domains = policy::cut_evenly({job.span, 3, 4096, 65536});
  const Shares shares = shares_of(job, domains, sample_rounds(job, domains, 1 << 30));
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

TEST(Shares, PiecesOfNeighboursAreJoined) {
  const Job job = interleaved(12, 4, 100, 1000);
  const policy::Domains domains = policy::cut_evenly({job.span, 3, 4096, 65536});
  const Shares shares = shares_of(job, domains, sample_rounds(job, domains, 1 << 30));
  EXPECT_DOUBLE_EQ(coalescing(job, domains, shares, 1), 1);
  EXPECT_NEAR(coalescing(job, domains, shares, 4), 0.25, 0.01);
  EXPECT_NEAR(coalescing(job, domains, shares, 12), 0, 0.01);
}

TEST(Shares, AFewRoundsStandForMany) {
  const Job job = interleaved(12, 4, 100, 100'000);
  const policy::Domains domains = policy::cut_evenly({job.span, 3, 4096, 65536});
  const std::vector<std::int64_t> rounds = sample_rounds(job, domains, 12 * 3 * 10);
  ASSERT_EQ(rounds.size(), 10U);
  EXPECT_EQ(rounds.front(), 0);
  EXPECT_LT(rounds.back(), domains.most_rounds());
  EXPECT_EQ(sample_rounds(job, domains, 1 << 30).size(), static_cast<std::size_t>(domains.most_rounds()));
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
