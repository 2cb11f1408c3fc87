// The mask of a window against a vector of bools: random pieces of several ranks, all units, any length of
// the window.
#include "core/byte_mask.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "byte_list.hpp"

namespace collio::core {
namespace {

using test::Dice;

/// A window somewhere in a file, its mask, and which units are filled as the model knows it.
struct Window {
  Window(Dice& dice, int unit_shift)
      : shift(unit_shift),
        units(dice.pick(1, 400)),
        origin(dice.pick(0, 1 << 20) << shift),
        words(static_cast<std::size_t>(ByteMask::words_for(units << shift, shift))),
        filled(static_cast<std::size_t>(units)) {}

  [[nodiscard]] ByteMask mask() { return {words.data(), shift}; }
  [[nodiscard]] std::int64_t bytes() const { return units << shift; }

  int shift;
  std::int64_t units, origin;
  std::vector<std::uint64_t> words;
  std::vector<bool> filled;
};

/// Ascending runs within the window, as one rank's pieces are.
std::vector<Run> random_pieces(Dice& dice, const Window& w) {
  std::vector<Run> runs;
  for (std::int64_t at = dice.pick(0, w.units / 2); at < w.units; at += dice.pick(0, 70)) {
    const std::int64_t length = dice.pick(1, std::min<std::int64_t>(w.units - at, dice.chance(4) ? 200 : 9));
    const std::int64_t stride = length + dice.pick(0, 9);
    const std::int64_t count = dice.pick(1, 1 + std::min<std::int64_t>(20, (w.units - at - length) / stride));
    runs.push_back({w.origin + (at << w.shift), length << w.shift, stride << w.shift, count});
    at += (count - 1) * stride + length;
  }
  return runs;
}

void fill_model(Window& w, const Run& run) {
  for (std::int64_t i = 0; i < run.count; ++i)
    for (std::int64_t b = 0; b < run.length; ++b)
      w.filled[static_cast<std::size_t>((run.offset + i * run.stride + b - w.origin) >> w.shift)] = true;
}

std::vector<Extent> extents_of(const ByteMask& mask, std::int64_t end) {
  std::vector<Extent> out;
  mask.for_each_extent(end, [&](const Extent& e) { out.push_back(e); });
  EXPECT_EQ(mask.extents(end), static_cast<std::int64_t>(out.size()));
  return out;
}

std::vector<Extent> extents_of_model(const Window& w, std::int64_t end) {
  std::vector<Extent> out;
  for (std::int64_t unit = 0; unit < end >> w.shift; ++unit) {
    if (!w.filled[static_cast<std::size_t>(unit)]) continue;
    const Extent one{unit << w.shift, std::int64_t{1} << w.shift};
    if (!out.empty() && out.back().end() == one.offset)
      out.back().length += one.length;
    else
      out.push_back(one);
  }
  return out;
}

void add_all(const ByteMask& mask, std::int64_t origin, const std::vector<Run>& runs) {
  MaskWriter writer(mask, origin);
  for (const core::Run& run : runs) writer.add(run);
}

/// Calls each(seed, dice, window) for many windows of every unit.
template <class Each>
void for_many_windows(Each&& each) {
  for (int shift = 0; shift <= 6; ++shift) {
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
      Dice dice(seed * 7 + static_cast<std::uint32_t>(shift));
      Window window(dice, shift);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", shift " + std::to_string(shift));
      each(dice, window);
    }
  }
}

TEST(ByteMask, ExtentsAreThoseOfTheUnionOfAllRanksPieces) {
  for_many_windows([](Dice& dice, Window& w) {
    for (std::int64_t rank = 0, ranks = dice.pick(1, 6); rank < ranks; ++rank) {
      const std::vector<core::Run> runs = random_pieces(dice, w);
      add_all(w.mask(), w.origin, runs);
      for (const core::Run& run : runs) fill_model(w, run);
    }
    ASSERT_EQ(extents_of(w.mask(), w.bytes()), extents_of_model(w, w.bytes()));
  });
}

TEST(ByteMask, ExtentsStopAtTheEndThatIsAskedFor) {
  for_many_windows([](Dice& dice, Window& w) {
    for (const core::Run& run : random_pieces(dice, w)) {
      add_all(w.mask(), w.origin, {run});
      fill_model(w, run);
    }
    for (int i = 0; i < 20; ++i) {
      const std::int64_t end = dice.pick(0, w.units) << w.shift;
      ASSERT_EQ(extents_of(w.mask(), end), extents_of_model(w, end)) << "end " << end;
    }
  });
}

TEST(ByteMask, AFullWindowIsOneExtent) {
  for_many_windows([](Dice& dice, Window& w) {
    std::int64_t at = 0;
    while (at < w.units) {
      const std::int64_t length = dice.pick(1, w.units - at);
      add_all(w.mask(), w.origin, {{w.origin + (at << w.shift), length << w.shift, 0, 1}});
      at += length;
    }
    ASSERT_EQ(extents_of(w.mask(), w.bytes()), (std::vector<Extent>{{0, w.bytes()}}));
  });
}

TEST(ByteMask, WholeWordsAndTheirEdges) {
  for (std::int64_t from = 0; from <= 192; ++from) {
    for (std::int64_t to = from + 1; to <= 192; ++to) {
      std::vector<std::uint64_t> words(3);
      const ByteMask mask(words.data(), 0);
      add_all(mask, 1000, {{1000 + from, to - from, 0, 1}});
      ASSERT_EQ(extents_of(mask, 192), (std::vector<Extent>{{from, to - from}}));
    }
  }
}

TEST(ByteMask, NothingIsFilledAtFirstAndAfterClear) {
  for_many_windows([](Dice& dice, Window& w) {
    ASSERT_TRUE(extents_of(w.mask(), w.bytes()).empty());
    add_all(w.mask(), w.origin, random_pieces(dice, w));
    w.mask().clear(w.bytes());
    ASSERT_TRUE(extents_of(w.mask(), w.bytes()).empty());
    ASSERT_EQ(w.words, std::vector<std::uint64_t>(w.words.size()));
  });
}

TEST(ByteMask, ClearLeavesTheNextMaskAlone) {
  for (int shift = 0; shift <= 6; ++shift) {
    for (std::int64_t units = 1; units <= 200; ++units) {
      const auto count = static_cast<std::size_t>(ByteMask::words_for(units << shift, shift));
      EXPECT_EQ(count, static_cast<std::size_t>(units + 63) / 64);
      std::vector<std::uint64_t> words(count + 1, ~std::uint64_t{0});
      ByteMask(words.data(), shift).clear(units << shift);
      EXPECT_EQ(words.back(), ~std::uint64_t{0});
      EXPECT_EQ(std::count(words.begin(), words.end(), 0), static_cast<std::ptrdiff_t>(count));
    }
  }
}

TEST(ByteMask, AWindowThatIsNoMultipleOfTheUnitHasRoomForItsLastBytes) {
  // A last window may end anywhere; its pieces are still multiples of the unit.
  EXPECT_EQ(ByteMask::words_for(1, 6), 1);
  EXPECT_EQ(ByteMask::words_for(64 * 64, 6), 1);
  EXPECT_EQ(ByteMask::words_for(64 * 64 + 1, 6), 2);
  EXPECT_EQ(ByteMask::words_for(65, 0), 2);
}

TEST(ByteMask, ManyThreadsFillWordsTheyShare) {
  constexpr int threads = 4, units = 6400;
  std::vector<std::uint64_t> words(units / 64);
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] { add_all({words.data(), 0}, 0, {{t, 1, threads, units / threads}}); });
  for (std::thread& one : all) one.join();
  EXPECT_EQ(extents_of({words.data(), 0}, units), (std::vector<Extent>{{0, units}}));
}

TEST(ByteMask, NoMemoryMeansNoMask) {
  EXPECT_FALSE(ByteMask{});
  std::uint64_t word = 0;
  EXPECT_TRUE(ByteMask(&word, 0));
}

}  // namespace
}  // namespace collio::core
