// Cuts other than the even one, in windows: every byte of the span has one owner and one round, whatever the
// cut.
#include <gtest/gtest.h>

#include "byte_list.hpp"
#include "policy/domains/file_cuts.hpp"

namespace collio::policy {
namespace {

using core::Extent;
using test::Dice;

Domains random_cut(Dice& dice, const Extent& span) {
  const std::int64_t units[] = {1, 3, 16, 100};
  const std::int64_t windows[] = {5, 16, 64, 1000};
  const CutRequest r{span, static_cast<int>(dice.pick(1, 7)), units[dice.pick(0, 3)],
                     windows[dice.pick(0, 3)]};
  const auto cut = static_cast<Cut>(dice.pick(0, 4));
  if (cut != Cut::balanced) return cut_by(cut, r, static_cast<int>(dice.pick(0, 3)));
  Histogram h{span.offset, 10, std::vector<std::int64_t>(static_cast<std::size_t>(span.length / 10 + 1))};
  for (std::int64_t& bytes : h.bytes) bytes = dice.chance(3) ? dice.pick(0, 10) : 0;
  const FileCutRequest request{r.span, r.aggregators, r.alignment_bytes};
  return domains_of(cut_balanced(request, h), request, r.window_bytes);
}

template <class Each>
void for_many_balanced_cuts(Each&& each) {
  for (std::uint32_t seed = 1; seed <= 600; ++seed) {
    Dice dice(seed);
    const Extent span{dice.pick(0, 500), dice.pick(1, 900)};
    SCOPED_TRACE("seed " + std::to_string(seed));
    each(span, random_cut(dice, span));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(DealtDomains, WindowsHoldEveryByteOfTheSpanOnce) {
  for_many_balanced_cuts([](const Extent& span, const Domains& d) {
    std::vector<int> held(static_cast<std::size_t>(span.length), 0);
    for (int a = 0; a < d.count; ++a)
      for (std::int64_t round = 0; round < d.most_rounds(); ++round) {
        const Extent w = d.window(a, round);
        ASSERT_LE(w.length, d.window_bytes);
        for (std::int64_t at = std::max(w.offset, span.offset); at < w.end(); ++at) {
          ASSERT_LT(at, span.end());
          ++held[static_cast<std::size_t>(at - span.offset)];
          ASSERT_EQ(d.owner(at), a);
          ASSERT_EQ(d.round_of(a, at), round);
        }
      }
    for (const int times : held) ASSERT_EQ(times, 1);
  });
}

TEST(DealtDomains, TheNextByteOfADomainIsTheFirstItOwns) {
  for_many_balanced_cuts([](const Extent& span, const Domains& d) {
    for (int a = 0; a < d.count; ++a) {
      std::int64_t next = span.end();
      for (std::int64_t at = span.end() - 1; at >= span.offset; --at) {
        if (d.owner(at) == a) next = at;
        const std::int64_t found = d.next(a, at);
        ASSERT_EQ(std::min(found, span.end()), next) << "domain " << a << ", offset " << at;
      }
    }
  });
}

TEST(DealtDomains, ARunEndsWhereTheOwnerChangesOrBefore) {
  for_many_balanced_cuts([](const Extent& span, const Domains& d) {
    for (std::int64_t at = span.offset; at < span.end(); ++at) {
      const std::int64_t end = d.end_of_run(at);
      ASSERT_GT(end, at);
      for (std::int64_t other = at; other < std::min(end, span.end()); ++other)
        ASSERT_EQ(d.owner(other), d.owner(at));
    }
  });
}

TEST(DealtDomains, AShiftByTheCycleKeepsEverything) {
  const Extent span{1000, 5000};
  const Domains here = cut_by(Cut::static_cyclic, {span, 4, 64, 64}, 0),
                there = cut_by(Cut::static_cyclic, {{span.offset + 256, span.length}, 4, 64, 64}, 0);
  for (std::int64_t at = span.offset; at < span.end(); ++at) {
    ASSERT_EQ(here.owner(at), there.owner(at + 256));
    ASSERT_EQ(here.round_of(here.owner(at), at), there.round_of(there.owner(at + 256), at + 256));
  }
}

TEST(DealtDomains, BeginsAreMultiplesOfTheOffsetBits) {
  for_many_balanced_cuts([](const Extent& span, const Domains& d) {
    const std::uint64_t bits = d.offset_bits();
    const std::int64_t unit = bits == 0 ? 1 : std::int64_t{1} << std::min(std::countr_zero(bits), 40);
    for (int a = 0; a < d.count; ++a)
      for (std::int64_t round = 0; round < d.most_rounds(); ++round)
        if (const Extent w = d.window(a, round); w.length > 0) {
          ASSERT_EQ(w.offset % unit, 0);
          if (w.end() < span.end()) {
            ASSERT_EQ(w.end() % unit, 0);
          }
        }
  });
}

}  // namespace
}  // namespace collio::policy
