// Domains go to further ranks of the nodes that have their bytes, not to the aggregators alone. For three
// nodes of three ranks: with an aggregator each, the first has the bytes of two domains.
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int ranks_per_node = 3, nodes = 3, part = 1 << 17;

/// Ranks are dealt to nodes, else they follow one another on a node.
bool cyclic = false;
int rank_on(int node, int local_rank) {
  return cyclic ? local_rank * nodes + node : node * ranks_per_node + local_rank;
}

/// Nodes with the bytes of each third of a span, dealt to their ranks in short pieces.
Deal deal_to(const std::vector<int>& owners, std::int64_t begin) {
  Deal deal(std::size_t{ranks_per_node} * nodes);
  constexpr int length = part / 64;
  for (int i = 0; i < 64 * nodes; ++i) {
    const int rank = rank_on(owners[static_cast<std::size_t>(i / 64)], i % ranks_per_node);
    deal[static_cast<std::size_t>(rank)].push_back({begin + std::int64_t{i} * length, length});
  }
  return deal;
}

struct Run {
  std::string path;
  HintList more;
  /// all bytes stay on their nodes
  bool stays = true;
};

class Tests {
 public:
  explicit Tests(Program& program) : program_(program), reports_(program) {}

  /// Two patterns that take turns, written and read; and once more on the file opened again, for which ranks
  /// know the plans but have no handles.
  void run(const Run& run) {
    HintList hints{{"collio_path", run.path}, {"cb_nodes", "3"}, {"cb_config_list", "*:3"}};
    hints.insert(run.more.begin(), run.more.end());
    const std::string name = program_.temporary("spare");
    for (int open = 0; open < 2; ++open) {
      PieceFile file(program_, MPI_COMM_WORLD, name, hints);
      for (int i = 0; i < 3; ++i) {
        const std::int64_t begin = std::int64_t{2 * nodes} * part * i;
        const Deal first = deal_to({0, 0, 1}, begin), second = deal_to({2, 1, 1}, begin + nodes * part);
        file.write(first, i == 1 ? Memory::scattered : Memory::contiguous);
        file.write(second);
        file.read(first);
        file.read(second, i == 1 ? Memory::scattered : Memory::contiguous);
      }
      file.check();
      file.close();
      check_report(file.path(), run);
    }
  }

 private:
  void check_report(const std::string& path, const Run& run) {
    if (program_.rank != 0) return;
    const std::string report = reports_.of(path);
    program_.that(report.find("\"path\":\"" + run.path + "\"") != std::string::npos, "the path");
    const long long between = sum_of("\"traffic\":{\"bytes\":", report);
    program_.that((between < part) == run.stays,
                  (run.path + ", bytes between nodes: " + std::to_string(between)).c_str());
    const bool warned = report.find("domains are served by aggregators in order: ") != std::string::npos;
    program_.that(warned == (run.more.count("collio_faults") > 0), "the warning");
  }

  Program& program_;
  Reports reports_;
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (const std::string why = program.no_room_for_windows(nodes); !why.empty()) return program.skip(why);
  cyclic = argc > 1 && std::string(argv[1]) == "cyclic:3";
  Tests tests(program);
  for (const char* path : {"two_layer", "two_phase"}) {
    tests.run({path, {}});
    tests.run({path, {{"collio_window", "16384"}}});
    tests.run({path, {{"collio_nodes_per_group", "2"}}});
    tests.run({path, {{"collio_assignment", "in_order"}}, false});
    tests.run({path, {{"collio_faults", std::to_string(rank_on(0, 1)) + ":open:EACCES"}}, false});
  }
  return program.finish();
}
