// Bytes between nodes, as the report has them: never less than the data that must leave a node, never more
// than that and the descriptions of its pieces, and near to what the plan foresaw. For jobs of several nodes
// of two ranks each.
//
// Blocks are dealt to the ranks in turn, and every file domain holds whole turns: each node has an equal
// share of each.
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int ranks_per_node = 2;
constexpr int block = 512, page = 4096;
constexpr int windows = 10;  ///< of each domain

using Matrix = std::map<std::pair<int, int>, long long>;

/// The numbers after `"key":` in a part of the report that begins with `begin`.
long long number_in(const std::string& report, const std::string& begin, const std::string& key) {
  const std::size_t at = report.find("\"" + key + "\":", report.find(begin));
  return at == std::string::npos ? -1 : std::atoll(report.c_str() + at + key.size() + 3);
}

/// [[from, to, bytes], ...] after `"flows":` in the part that begins with `begin`.
Matrix matrix_in(const std::string& report, const std::string& begin) {
  Matrix matrix;
  std::size_t at = report.find("\"flows\":[", report.find(begin));
  if (at == std::string::npos) return matrix;
  int from = 0, to = 0, used = 0;
  long long bytes = 0;
  for (at += 9; std::sscanf(report.c_str() + at, "[%d,%d,%lld]%n", &from, &to, &bytes, &used) == 3;
       at += static_cast<std::size_t>(used)) {
    matrix[{from, to}] = bytes;
    if (report[at + static_cast<std::size_t>(used)] == ',') ++used;
  }
  return matrix;
}

long long sum_of(const Matrix& matrix) {
  long long sum = 0;
  for (const auto& [ends, bytes] : matrix) sum += bytes;
  return sum;
}

class Tests {
 public:
  explicit Tests(Program& program)
      : program_(program), reports_(program), nodes_(program.size / ranks_per_node) {}

  void run(const HintList& hints, const std::string& name) {
    const long long total = static_cast<long long>(nodes_) * windows * program_.size * page;
    const Deal deal = deal_in_turn(total);
    for (const bool reads : {false, true})
      for (const Memory memory : {Memory::contiguous, Memory::scattered}) {
        PieceFile file(program_, MPI_COMM_WORLD, program_.temporary(name), all_hints(hints),
                       reads ? total : 0);
        for (int times = 0; times < 2; ++times) reads ? file.read(deal, memory) : file.write(deal, memory);
        file.close();
        if (program_.rank == 0) check(reports_.of(file.path()), {hints, 2 * total, reads});
      }
  }

  /// A call in which no message leaves a node.
  void independent() {
    PieceFile file(program_, MPI_COMM_WORLD, program_.temporary("independent"),
                   {{"collio_path", "independent"}});
    file.write(deal_in_turn(program_.size * page));
    file.close();
    if (program_.rank != 0) return;
    const std::string report = reports_.of(file.path());
    program_.equal(number_in(report, "\"traffic\"", "bytes"), 0, "bytes sent between nodes");
    program_.equal(number_in(report, "\"expected\"", "bytes"), 0, "bytes expected between nodes");
  }

 private:
  struct Case {
    HintList hints;
    long long total = 0;
    bool reads = false;
  };

  /// One domain per node, of whole windows.
  [[nodiscard]] HintList all_hints(HintList hints) const {
    hints.emplace("cb_nodes", std::to_string(nodes_));
    hints.emplace("striping_unit", std::to_string(page));
    hints.emplace("collio_window", std::to_string(program_.size * page));
    return hints;
  }

  [[nodiscard]] Deal deal_in_turn(long long total) const {
    Deal deal(static_cast<std::size_t>(program_.size));
    std::size_t turn = 0;
    for (std::int64_t at = 0; at < total; at += block) deal[turn++ % deal.size()].push_back({at, block});
    return deal;
  }

  void check(const std::string& report, const Case& of) {
    const std::string path = of.hints.at("collio_path");
    const auto that = [&](bool good, const std::string& what) {
      program_.that(good, (what + " in " + report).c_str());
    };
    that(report.find("\"path\":\"" + path + "\"") != std::string::npos, "path " + path);
    that(report.find("\"name\":null") != std::string::npos && report.find("\"unknown\"") == std::string::npos,
         "no network, and no word about it");
    const Matrix traffic = matrix_in(report, "\"traffic\""), expected = matrix_in(report, "\"expected\"");
    program_.equal(number_in(report, "\"traffic\"", "bytes"), sum_of(traffic), "sum of the traffic");
    program_.equal(number_in(report, "\"expected\"", "bytes"), sum_of(expected), "sum of what was expected");
    const bool groups = of.hints.contains("collio_nodes_per_group");
    const long long leaving = of.total / nodes_ * (nodes_ - 1);  // a node keeps its share of its own domain
    if (groups)
      that(sum_of(expected) >= leaving,
           "bytes expected to leave nodes");  // some twice: they meet on a node between
    else
      program_.equal(sum_of(expected), leaving, "bytes expected to leave nodes");
    const long long metadata = metadata_in(report);
    that(metadata > 0, "descriptions");
    that(sum_of(traffic) > sum_of(expected) && sum_of(traffic) <= sum_of(expected) + metadata,
         "bytes that left nodes: " + std::to_string(sum_of(traffic)));
    for (const auto& [ends, bytes] : traffic) {
      that(ends.first != ends.second && ends.first >= 0 && ends.first < nodes_ && ends.second >= 0 &&
               ends.second < nodes_,
           "nodes of a flow");
      const auto foreseen = expected.find(ends);
      const long long data = foreseen == expected.end() ? 0 : foreseen->second;
      that(bytes > 0 && bytes >= data && bytes <= data + metadata,
           "bytes of a flow: " + std::to_string(bytes));
    }
    for (const auto& [ends, bytes] : expected) that(traffic.contains(ends), "a flow that was expected");
  }

  /// Of all the records of calls.
  static long long metadata_in(const std::string& report) {
    long long sum = 0;
    const std::string key = "\"metadata_bytes\":";
    for (std::size_t at = report.find(key); at != std::string::npos; at = report.find(key, at + 1))
      sum += std::atoll(report.c_str() + at + key.size());
    return sum;
  }

  Program& program_;
  Reports reports_;
  int nodes_;
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (const std::string why = program.no_room_for_windows(program.size / 2); !why.empty())
    return program.skip(why);
  Tests tests(program);
  tests.run({{"collio_path", "two_phase"}}, "two_phase");
  tests.run({{"collio_path", "two_layer"}}, "two_layer");
  tests.run({{"collio_path", "two_layer"}, {"collio_nodes_per_group", "2"}}, "groups");
  tests.run({{"collio_path", "two_layer"}, {"nc_num_aggrs_per_node", "2"}, {"collio_nodes_per_group", "2"}},
            "teams");
  tests.independent();
  return program.finish();
}
