// Whole lists of pieces, by whatever the processor has for them, against a byte at a time.
#include "core/batch.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "byte_list.hpp"

namespace collio::core {
namespace {

using test::Dice;
using Runs = std::vector<Run>;  // a test has a member Run

/// Calls each(runs, their offsets' end, seed) for many random lists.
template <class Each>
void for_random_runs(Each&& each) {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    const Runs runs = test::random_ascending_runs(dice, 300);
    std::int64_t end = 0;
    for (const Run& run : runs) end = std::max(end, run.end());
    each(runs, end, seed);
  }
}

std::vector<std::int64_t> bytes_of(const Runs& runs) {
  std::vector<std::int64_t> bytes;
  for (const Run& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i)
      for (std::int64_t b = 0; b < run.length; ++b) bytes.push_back(run.offset + i * run.stride + b);
  return bytes;
}

std::vector<std::byte> random_bytes(Dice& dice, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(dice.pick(0, 255));
  return bytes;
}

TEST(Batch, ScatterWritesThePiecesAndNothingElse) {
  for_random_runs([](const Runs& runs, std::int64_t end, std::uint32_t seed) {
    Dice dice(seed);
    const std::vector<std::int64_t> places = bytes_of(runs);
    const std::vector<std::byte> in = random_bytes(dice, places.size());
    std::vector<std::byte> out = random_bytes(dice, static_cast<std::size_t>(end)), expected = out;
    for (std::size_t i = 0; i < places.size(); ++i) expected[static_cast<std::size_t>(places[i])] = in[i];
    ASSERT_EQ(scatter_runs(out.data(), runs, in.data()), in.data() + in.size()) << "seed " << seed;
    ASSERT_EQ(out, expected) << "seed " << seed;
  });
}

TEST(Batch, GatherReadsThePiecesAndWritesNoMore) {
  for_random_runs([](const Runs& runs, std::int64_t end, std::uint32_t seed) {
    Dice dice(seed);
    const std::vector<std::int64_t> places = bytes_of(runs);
    const std::vector<std::byte> in = random_bytes(dice, static_cast<std::size_t>(end));
    std::vector<std::byte> out = random_bytes(dice, places.size() + 100), expected = out;
    for (std::size_t i = 0; i < places.size(); ++i) expected[i] = in[static_cast<std::size_t>(places[i])];
    ASSERT_EQ(gather_runs(out.data(), in.data(), runs), out.data() + places.size()) << "seed " << seed;
    ASSERT_EQ(out, expected) << "seed " << seed;
  });
}

TEST(Batch, GathersUpToTheEndOfWhatIsMapped) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* const mapped = static_cast<std::byte*>(pages);
  ASSERT_EQ(mprotect(mapped + page, page, PROT_NONE), 0);
  for (std::size_t i = 0; i < page; ++i) mapped[i] = static_cast<std::byte>(i % 251);
  const auto end = static_cast<std::int64_t>(page);
  for (std::int64_t length = 1; length <= 16; ++length) {
    // The last piece of the page comes first: it has others behind it in the list.
    const Runs runs{{end - length, length, 0, 1}, {0, 16, 0, 1}, {100, 16, 0, 1}};
    std::vector<std::byte> out(static_cast<std::size_t>(length + 32)), expected;
    for (const std::int64_t place : bytes_of(runs)) expected.push_back(mapped[place]);
    gather_runs(out.data(), mapped, runs);
    EXPECT_EQ(out, expected) << length << " bytes";
  }
  munmap(pages, 2 * page);
}

TEST(Batch, SumsTilingAsPieceByPiece) {
  for_random_runs([](const Runs& runs, std::int64_t, std::uint32_t seed) {
    TilingSum one_by_one;
    for (const auto& run : runs)
      for (std::int64_t i = 0; i < run.count; ++i)
        one_by_one.add(Extent{run.offset + i * run.stride, run.length});
    const TilingSum sum = tiling_sum(runs);
    ASSERT_EQ(sum.hash, one_by_one.hash) << "seed " << seed;
    ASSERT_EQ(sum.bytes, one_by_one.bytes) << "seed " << seed;
  });
}

TEST(Batch, GivesEveryItemOnceAndInOrder) {
  for (const std::int64_t items : {0, 1, 127, 128, 129, 1000}) {
    Runs runs;
    for (std::int64_t i = 0; i < items; ++i) runs.push_back({100 * i, 1 + i % 50, 0, 1});
    const PackedExtents list = test::packed(runs);
    std::int64_t bytes = 0, seen = 0;
    for_each_batch(list.reader(list.before_stream(0)), list.items(),
                   [&](std::span<const Runs::value_type> batch) {
                     seen += std::ssize(batch);
                     for (const auto& run : batch) bytes += run.bytes();
                   });
    EXPECT_EQ(seen, list.items());
    EXPECT_EQ(bytes, std::ssize(bytes_of(runs)));
  }
}

}  // namespace
}  // namespace collio::core
