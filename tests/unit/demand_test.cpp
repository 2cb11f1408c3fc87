// Bytes and messages by domain against counting every piece, and the planner's patterns against the
// benchmark's extents.
#include "simulate/demand.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "geometry/grids.hpp"
#include "planner/accesses.hpp"

namespace collio::simulate {
namespace {

using Options = bench::Options;

/// Options as they are given on a command line.
Options options_of(std::vector<std::string> words) {
  words.insert(words.begin(), "test");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return Options(static_cast<int>(pointers.size()), pointers.data());
}

Job job_of(const std::string& pattern, int ranks, const std::vector<std::string>& words = {}) {
  Options options = options_of(words);
  for (const planner::AccessEntry& entry : planner::access_table())
    if (pattern == entry.name) return entry.make(options, ranks);
  throw std::runtime_error("no pattern " + pattern);
}

/// Every piece of a rank, those that touch joined.
std::vector<core::Extent> pieces_of(const Job& job, int rank) {
  std::vector<core::Extent> pieces;
  for (const core::Pattern& pattern : job.access(rank)) {
    EXPECT_TRUE(pattern.ascending());
    core::Cursor cursor(pattern);
    for (core::Run run; cursor.next_below(job.span.end(), run);)
      for (std::int64_t i = 0; i < run.count; ++i) {
        const core::Extent piece{run.offset + i * run.stride, run.length};
        if (!pieces.empty() && pieces.back().end() == piece.offset)
          pieces.back().length += piece.length;
        else
          pieces.push_back(piece);
      }
  }
  return pieces;
}

void expect_blocks(const Job& job, int rank, const std::vector<bench::Extent>& expected) {
  const std::vector<core::Extent> found = pieces_of(job, rank);
  ASSERT_EQ(found.size(), expected.size()) << rank;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i], (core::Extent{expected[i].offset, expected[i].length})) << rank;
}

TEST(Accesses, BlocksAreWhatTheBenchmarkWrites) {
  const Job btio = job_of("btio", 10, {"--n", "13"}),
            s3d = job_of("s3d", 12, {"--nx", "7", "--ny", "5", "--nz", "9"});
  const bench::BtioCube cube{13, 3};
  Options options = options_of({"--nx", "7", "--ny", "5", "--nz", "9"});
  const bench::S3dGrid grid = bench::s3d_grid(options, 12);
  for (int rank = 0; rank < 10; ++rank) {
    std::vector<bench::Extent> blocks;
    for (int slab = 0; rank < 9 && slab < 3; ++slab)
      bench::append_block(cube.block(slab, rank), bench::BtioCube::cell_bytes, 0, blocks);
    expect_blocks(btio, rank, blocks);
    blocks.clear();
    bench::append_block(grid.block(11, rank), bench::S3dGrid::number_bytes, 0, blocks);
    expect_blocks(s3d, rank, blocks);
  }
}

TEST(Accesses, RanksTogetherHaveEveryByteOnce) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> patterns{
      {"btio", {"--n", "17"}},
      {"cube", {"--n", "11"}},
      {"s3d", {"--nx", "8", "--ny", "9", "--nz", "10", "--call", "1"}},
      {"interleave", {"--pieces", "50"}},
      {"interleave", {"--pieces", "50", "--irregular"}},
      {"contiguous", {"--size", "100", "--pieces", "4", "--one-call"}},
      {"random", {"--max-size", "1000"}}};
  for (const auto& [name, words] : patterns) {
    const Job job = job_of(name, 9, words);
    std::set<std::tuple<std::int64_t, std::int64_t>> pieces;
    std::int64_t bytes = 0, at = job.span.offset;
    for (int rank = 0; rank < 9; ++rank)
      for (const core::Extent& piece : pieces_of(job, rank))
        pieces.insert({piece.offset, piece.length}), bytes += piece.length;
    EXPECT_EQ(bytes, job.span.length) << name;
    for (const auto& [offset, length] : pieces) {
      if (length == 0) continue;
      ASSERT_EQ(offset, at) << name;
      at += length;
    }
    EXPECT_EQ(at, job.span.end()) << name;
  }
}

TEST(Accesses, RandomSizesAreOfThePapersRange) {
  const Job job = job_of("random", 8192);
  EXPECT_NEAR(static_cast<double>(job.span.length), 8192e6, 8192e6 * 0.03);
}

/// Counts byte by byte what demand_of counts window by window.
void expect_counted(const Job& job, const CutFile& cut) {
  core::Matrix<std::int64_t> bytes({job.nodes(), cut.domains()});
  std::set<std::tuple<int, int, std::int64_t>> by_rank, by_node;  // who, domain, round
  std::int64_t rounds = 0;
  for (int rank = 0; rank < job.ranks; ++rank)
    for (const core::Extent& piece : pieces_of(job, rank))
      for (std::int64_t byte = piece.offset; byte < piece.end(); ++byte) {
        const WindowPart window = cut.window(byte);
        ASSERT_GT(window.end, byte);
        ++bytes(job.node_of(rank), window.domain);
        by_rank.insert({rank, window.domain, window.round});
        by_node.insert({job.node_of(rank), window.domain, window.round});
        rounds = std::max(rounds, window.round + 1);
      }
  const Demand demand = demand_of(job, cut);
  EXPECT_EQ(demand.bytes, bytes);
  EXPECT_EQ(demand.rounds, rounds);
  std::int64_t rank_messages = 0, node_messages = 0;
  for (const std::int64_t count : demand.rank_messages.values()) rank_messages += count;
  for (const std::int64_t count : demand.node_messages.values()) node_messages += count;
  EXPECT_EQ(rank_messages, static_cast<std::int64_t>(by_rank.size()));
  EXPECT_EQ(node_messages, static_cast<std::int64_t>(by_node.size()));
}

TEST(Demand, IsWhatCountingEveryByteGives) {
  for (const char* pattern : {"btio", "cube", "interleave", "random"}) {
    std::vector<std::string> words{"--n", "9"};
    if (pattern == std::string("interleave")) words = {"--pieces", "40", "--irregular", "--gap", "30"};
    if (pattern == std::string("random")) words = {"--max-size", "900"};
    Job job = job_of(pattern, 7, words);
    job.ranks_per_node = 3;
    for (const std::int64_t window : {50, 256, 1000}) {
      SCOPED_TRACE(std::string(pattern) + ", windows of " + std::to_string(window));
      expect_counted(job, CutFile(policy::cut_evenly({job.span, 5, 64, window})));
      expect_counted(job, CutFile(policy::cut_aligned({job.span, 5, 100}), window));
      expect_counted(job, CutFile(policy::cut_static_cyclic({job.span, 3, 128}), window));
      expect_counted(job, CutFile(policy::cut_group_cyclic({job.span, 8, 128}, 4), window));
      expect_counted(job, CutFile(policy::cut_balanced({job.span, 5, 10}, histogram_of(job, 40)), window));
    }
  }
}

TEST(Demand, AWindowHoldsNoMoreThanItMay) {
  const core::Extent span{1000, 40000};
  for (const std::int64_t window : {100, 128, 300, 1000}) {
    const CutFile cuts[] = {CutFile(policy::cut_static_cyclic({span, 3, 128}), window),
                            CutFile(policy::cut_group_cyclic({span, 8, 128}, 4), window),
                            CutFile(policy::cut_aligned({span, 5, 100}), window)};
    for (const CutFile& cut : cuts) {
      std::map<std::pair<int, std::int64_t>, std::int64_t> bytes;
      for (std::int64_t byte = span.offset; byte < span.end(); ++byte)
        ++bytes[{cut.window(byte).domain, cut.window(byte).round}];
      for (const auto& [which, held] : bytes) EXPECT_LE(held, window);
    }
  }
}

TEST(Demand, TheHistogramHasAllBytes) {
  Job job = job_of("interleave", 4, {"--pieces", "100", "--irregular", "--gap", "100"});
  const policy::Histogram histogram = histogram_of(job, 10);
  std::int64_t sum = 0, bytes = 0;
  for (const std::int64_t region : histogram.bytes) sum += region;
  for (int rank = 0; rank < 4; ++rank)
    for (const core::Extent& piece : pieces_of(job, rank)) bytes += piece.length;
  EXPECT_EQ(sum, bytes);
  EXPECT_GE(histogram.low + 10 * histogram.region_bytes, job.span.end());
}

}  // namespace
}  // namespace collio::simulate
