// Which path calls take on computers that are not here: of 1 to 1000 nodes with 1 to 128 ranks each, on every
// class of storage and of network, for pieces of 8 bytes to 16 MiB.
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "policy/aggregators/aggregators.hpp"
#include "policy/plan/plan.hpp"

namespace collio::policy {
namespace {

constexpr std::int64_t kibibyte = 1 << 10, mebibyte = 1 << 20;
constexpr std::array node_counts{1, 2, 4, 8, 16, 27, 32, 64, 128, 256, 512, 1000};
constexpr std::array rank_counts{1, 2, 4, 8, 16, 32, 64, 128};  // a node

enum class Storage { local, memory, shared };
constexpr std::array storages{Storage::local, Storage::memory, Storage::shared};
constexpr std::array fabrics{machine::Fabric::same_host, machine::Fabric::tcp, machine::Fabric::rdma};

machine::StorageModel model_of(Storage storage) {
  machine::StorageModel model;
  if (storage == Storage::memory) {
    model.in_memory = true;
    model.operation_s = 0.75e-6;
  } else if (storage == Storage::shared) {
    model.operation_s = 200e-6;
    model.block_bytes = mebibyte;
    model.window_bytes = 16 * mebibyte;
    model.node_buffer_bytes = 64 * mebibyte;
    model.aggregators_per_core = 0;
  }
  return model;
}

struct Computer {
  int nodes = 1, ranks = 1;  ///< ranks of each node, with a core each
  Storage storage = Storage::shared;
  machine::Fabric fabric = machine::Fabric::same_host;

  [[nodiscard]] machine::Machine machine() const {
    machine::Node node{"node", ranks, ranks};
    node.fabric = fabric;
    return {std::vector<machine::Node>(static_cast<std::size_t>(nodes), node), model_of(storage)};
  }
};

/// Each rank accesses `pieces` pieces in turn with the others.
Digest interleaved(int ranks, std::int64_t pieces, std::int64_t piece_bytes) {
  Digest d;
  d.set_call(1);
  d.low = 0;
  d.pieces = ranks * pieces;
  d.most_pieces = pieces;
  d.bytes = d.high = d.pieces * piece_bytes;
  d.most_bytes = pieces * piece_bytes;
  const std::int64_t span = ((pieces - 1) * ranks + 1) * piece_bytes;
  d.spans = span > Digest::nothing / ranks ? Digest::nothing : span * ranks;
  d.active_ranks = ranks;
  d.offset_bits = piece_bytes;
  return d;
}

/// Each rank accesses one block behind that of the rank before.
Digest blocks(int ranks, std::int64_t bytes) { return interleaved(ranks, 1, bytes); }

Plan plan_on(const Computer& computer, const Digest& digest, Direction direction = Direction::write) {
  const machine::Machine machine = computer.machine();
  const Hints hints = parse_hints({});
  return make_plan({direction, digest, static_cast<int>(choose_aggregators(machine, hints).size())}, machine,
                   hints);
}

char letter_of(Path path) { return path == Path::independent ? 'i' : path == Path::two_layer ? 'L' : 'p'; }

/// Paths by piece lengths of 8 bytes to 16 MiB, a letter each; rows are numbers of nodes.
std::string table(Computer computer, std::int64_t pieces, Direction direction) {
  std::ostringstream text;
  text << "pieces of 8 B x 4 per column; i: independent, L: two layers, p: two phases\n";
  for (const int nodes : node_counts) {
    computer.nodes = nodes;
    text << nodes << " x " << computer.ranks << "\t";
    for (std::int64_t bytes = 8; bytes <= 16 * mebibyte; bytes *= 4)
      text << letter_of(plan_on(computer, interleaved(nodes * computer.ranks, pieces, bytes), direction).path)
           << ' ';
    text << '\n';
  }
  return text.str();
}

std::string name_of(const Computer& c) {
  constexpr const char* storage[] = {"local", "memory", "shared"};
  constexpr const char* fabric[] = {"same host", "tcp", "rdma"};
  return std::to_string(c.nodes) + " nodes x " + std::to_string(c.ranks) + " ranks, " +
         storage[static_cast<int>(c.storage)] + " storage, " + fabric[static_cast<int>(c.fabric)];
}

/// Calls each(computer) for all computers of two ranks and more.
template <class Each>
void for_each_computer(Each&& each) {
  for (const Storage storage : storages)
    for (const machine::Fabric fabric : fabrics)
      for (const int ranks : rank_counts)
        for (const int nodes : node_counts)
          if (nodes * ranks > 1) each(Computer{nodes, ranks, storage, fabric});
}

TEST(Estimates, EveryRankWritesItsLargeBlockWhateverTheStorage) {
  for_each_computer([](const Computer& computer) {
    const int ranks = computer.nodes * computer.ranks;
    for (const Direction direction : {Direction::write, Direction::read}) {
      for (const std::int64_t bytes : {16 * mebibyte, 16 * mebibyte + 24, 64 * mebibyte}) {
        const Plan plan = plan_on(computer, blocks(ranks, bytes), direction);
        EXPECT_EQ(plan.path, Path::independent)
            << name_of(computer) << ", blocks of " << bytes << ": " << reason_text(plan);
      }
    }
  });
}

TEST(Estimates, SmallPiecesAreExchangedWhateverTheNumberOfNodes) {
  for_each_computer([](const Computer& computer) {
    for (const Direction direction : {Direction::write, Direction::read}) {
      if (computer.storage == Storage::memory && direction == Direction::read)
        continue;  // these go side by side
      for (const std::int64_t pieces : {4, 100, 10000}) {
        if (computer.storage != Storage::shared && pieces < 10000)
          continue;  // a few cheap calls take less than a message
        for (std::int64_t bytes = 8; bytes <= kibibyte; bytes *= 4)
          ASSERT_NE(
              plan_on(computer, interleaved(computer.nodes * computer.ranks, pieces, bytes), direction).path,
              Path::independent)
              << name_of(computer) << ", " << pieces << " pieces a rank of " << bytes << '\n'
              << table(computer, pieces, direction);
      }
    }
  });
}

TEST(Estimates, SmallBlocksOnSharedStorageAreExchanged) {
  for_each_computer([](const Computer& computer) {
    if (computer.storage != Storage::shared || computer.nodes * computer.ranks < 8) return;
    for (std::int64_t bytes = 8; bytes <= 4 * kibibyte; bytes *= 4)
      ASSERT_NE(plan_on(computer, blocks(computer.nodes * computer.ranks, bytes)).path, Path::independent)
          << name_of(computer) << ", blocks of " << bytes << '\n'
          << table(computer, 1, Direction::write);
  });
}

TEST(Estimates, AFasterNetworkMakesTheExchangeCheaper) {
  const Digest digest = interleaved(27 * 8, 1000, kibibyte);
  double before_s = 0;
  for (const machine::Fabric fabric : {machine::Fabric::rdma, machine::Fabric::tcp}) {
    const Plan plan = plan_on({27, 8, Storage::shared, fabric}, digest);
    EXPECT_GT(plan.estimate_two_layer_s, before_s);
    before_s = plan.estimate_two_layer_s;
  }
}

TEST(Estimates, LinksOfKnownRateBoundTheExchange) {
  machine::Machine machine = Computer{4, 8, Storage::shared, machine::Fabric::rdma}.machine();
  const Digest digest = interleaved(32, 1000, 64 * kibibyte);
  const double usual_s = make_plan({Direction::write, digest, 4}, machine, {}).estimate_two_layer_s;
  machine.nodes.edit()[2].link_bytes_per_s = 1e8;  // the slowest counts
  EXPECT_GT(make_plan({Direction::write, digest, 4}, machine, {}).estimate_two_layer_s, usual_s + 1);
}

TEST(Estimates, LongerPiecesNeverGoBackToAnExchange) {
  for_each_computer([](const Computer& computer) {
    for (const Direction direction : {Direction::write, Direction::read}) {
      for (const std::int64_t pieces : {1, 4, 100}) {
        bool independent = false;
        for (std::int64_t bytes = 8; bytes <= 16 * mebibyte; bytes *= 4) {
          const Path path =
              plan_on(computer, interleaved(computer.nodes * computer.ranks, pieces, bytes), direction).path;
          ASSERT_TRUE(!independent || path == Path::independent)
              << name_of(computer) << ", " << pieces << " pieces a rank of " << bytes << '\n'
              << table(computer, pieces, direction);
          independent = path == Path::independent;
        }
      }
    }
  });
}

}  // namespace
}  // namespace collio::policy
