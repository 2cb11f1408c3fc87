// Nodes send messages only where they have bytes: of blocks in the order of ranks each node has a few
// aggregators' bytes, whatever the number of aggregators. For jobs of several nodes of two ranks each.
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int ranks_per_node = 2;
constexpr int calls = 3;

class Tests {
 public:
  /// `hops`: of a message at most.
  Tests(Program& program, int hops)
      : program_(program), reports_(program), nodes_(program.size / ranks_per_node), hops_(hops) {}

  /// `block`: bytes of each rank; `window`: of a round.
  struct Blocks {
    int block = 0, window = 0;
    HintList hints;
  };
  void run(const Blocks& blocks) {
    for (const bool reads : {false, true}) {
      const long long total = static_cast<long long>(calls) * program_.size * blocks.block;
      PieceFile file = open(blocks, reads ? total : 0);
      for (int i = 0; i < calls; ++i) {
        Deal deal;
        for (int rank = 0; rank < program_.size; ++rank)
          deal.push_back({{std::int64_t{i * program_.size + rank} * blocks.block, blocks.block}});
        reads ? file.read(deal) : file.write(deal);
      }
      check(file, (reads ? 2 : 1) * calls * most_messages(blocks), "messages of blocks");
    }
  }

  /// Others have nothing to say.
  void only_the_last_node() {
    const Blocks blocks{1 << 16, 1 << 14, {}};
    PieceFile file = open(blocks, 0);
    Deal deal(static_cast<std::size_t>(program_.size));
    deal.back().push_back({0, program_.size * blocks.block});
    file.write(deal);
    const long long windows = static_cast<long long>(program_.size) * blocks.block / blocks.window;
    check(file, windows, "messages of the last rank");
  }

 private:
  PieceFile open(const Blocks& blocks, long long bytes) {
    HintList hints{{"collio_path", "two_layer"},
                   {"collio_window", std::to_string(blocks.window)},
                   {"cb_nodes", std::to_string(program_.size)}};
    hints.insert(blocks.hints.begin(), blocks.hints.end());
    return {program_, MPI_COMM_WORLD, program_.temporary("blocks"), hints, bytes};
  }

  /// Nodes have bytes of all windows, and of one more each where they begin within one. Then the first
  /// message to its aggregator may be without bytes.
  [[nodiscard]] long long most_messages(const Blocks& blocks) const {
    const long long windows = static_cast<long long>(program_.size) * blocks.block / blocks.window;
    return hops_ * (windows + 2 * nodes_);
  }

  void check(PieceFile& file, long long most, const std::string& what) {
    file.check();
    file.close();
    if (program_.rank != 0) return;
    const std::string report = reports_.of(file.path());
    program_.that(report.find("\"path\":\"two_layer\"") != std::string::npos, report.c_str());
    const long long messages = sum_of("\"messages\":", report);
    program_.that(messages <= most,
                  (what + ": " + std::to_string(messages) + ", at most " + std::to_string(most)).c_str());
  }

  Program& program_;
  Reports reports_;
  int nodes_, hops_;
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (const std::string why = program.no_room_for_windows(program.size / ranks_per_node); !why.empty())
    return program.skip(why);
  Tests tests(program, argc > 1 ? 2 : 1);
  tests.run({1 << 16, 1 << 16, {}});
  tests.run({100'000, 1 << 16, {}});
  tests.run({1 << 17, 1 << 16, {{"collio_assignment", "in_order"}}});
  tests.run({1 << 17, 1 << 16, {{"nc_num_aggrs_per_node", "1"}}});
  tests.only_the_last_node();
  return program.finish();
}
