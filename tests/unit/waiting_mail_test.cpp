// Messages at an aggregator that its windows are not open for.
#include "simulate/waiting_mail.hpp"

#include <gtest/gtest.h>

#include "interleaved_job.hpp"

namespace collio::simulate {
namespace {

Shares of_ranks(const Job& job, const policy::Domains& domains) {
  return shares_of(job, domains, sample_rounds(domains, 1, policy::Digest::nothing),
                   [](int rank) { return rank; });
}

TEST(WaitingMail, OneMessageOfEachRankIsKept) {
  const Job job = test::interleaved(100, 10, 1000, 40);
  const policy::Domains domains = policy::cut_evenly({job.span, 1, 1, 1'000'000});
  const WaitingMail mail(of_ranks(job, domains), 0, 7);
  EXPECT_EQ(mail.senders(), 99) << "the aggregator keeps its own pieces";
  EXPECT_EQ(mail.empty(), 0);
  EXPECT_EQ(mail.mean_bytes(), 10'000);
  EXPECT_EQ(mail.behind(0), 0) << "those for this window came first";
  NodeCosts costs;
  costs.eager_bytes = 10'000;
  EXPECT_EQ(mail.most_bytes(costs), 99 * (10'000 + WaitingMail::envelope_bytes));
  costs.eager_bytes = 9'999;
  EXPECT_EQ(mail.most_bytes(costs), 99 * WaitingMail::envelope_bytes) << "the data stay with their senders";
}

TEST(WaitingMail, RanksOfLaterWindowsBeginWithAnEmptyMessage) {
  // A block each, four to a window.
  const Job job = test::interleaved(16, 4, 1 << 20, 1);
  const policy::Domains domains = policy::cut_evenly({job.span, 1, 1, 4 << 20});
  const WaitingMail mail(of_ranks(job, domains), 0, 0);
  EXPECT_EQ(mail.senders(), 15);
  EXPECT_EQ(mail.empty(), 12);
  for (std::size_t round = 0; round < 4; ++round)
    EXPECT_EQ(mail.behind(round), 12 - 4 * static_cast<int>(round));
}

}  // namespace
}  // namespace collio::simulate
