// Patterns that a program repeats are recognised, and planned and placed once: whatever the distance between
// calls, where ranks differ in some patterns and not in others, and where there are many in turn.
#include "machine/emulated_nodes.hpp"
#include "pieces.hpp"

using namespace collio::test;

namespace {

class Tests {
 public:
  explicit Tests(Program& program) : program_(program), reports_(program) {}

  /// Appends of equal records, which begin at a multiple of the file system's block or not.
  void appends(int record, int placed) {
    constexpr int calls = 40;
    const std::string path = program_.temporary("appends");
    MPI_Info info = make_info({{"collio_path", "two_layer"}});
    MPI_File file = MPI_FILE_NULL;
    program_.good(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
                  "MPI_File_open");
    MPI_Info_free(&info);
    std::vector<char> data(static_cast<std::size_t>(record)), found(data.size());
    const auto offset = [&](int i) {
      return static_cast<MPI_Offset>(i * program_.size + program_.rank) * record;
    };
    for (int i = 0; i < calls; ++i) {
      std::fill(data.begin(), data.end(), static_cast<char>(7 * i + program_.rank));
      program_.good(MPI_File_write_at_all(file, offset(i), data.data(), record, MPI_BYTE, MPI_STATUS_IGNORE),
                    "MPI_File_write_at_all");
    }
    for (int i = 0; i < calls; ++i) {
      std::fill(data.begin(), data.end(), static_cast<char>(7 * i + program_.rank));
      program_.good(MPI_File_read_at(file, offset(i), found.data(), record, MPI_BYTE, MPI_STATUS_IGNORE),
                    "MPI_File_read_at");
      program_.that(found == data, "the record's bytes");
    }
    program_.good(MPI_File_close(&file), "MPI_File_close");
    expect(path, {calls, 1, placed});
  }

  /// In turn. Of `count` pieces a rank, and in each of the patterns after the first some more: of the last
  /// rank alone, or of every rank. Different counts for each file, as patterns are remembered from file to
  /// file.
  struct Patterns {
    int number = 1, count = 1;
    bool all_differ = true;
  };
  void in_turn(const Patterns& patterns) {
    const int rounds = std::max(2, 120 / patterns.number);
    PieceFile file(program_, MPI_COMM_WORLD, program_.temporary("in_turn"), {{"collio_path", "two_layer"}});
    std::int64_t at = 0;
    for (int i = 0; i < rounds * patterns.number; ++i) {
      file.write(pieces(at, i % patterns.number, patterns));
      at += std::int64_t{piece} * program_.size * (patterns.count + patterns.number);
    }
    file.check();
    file.close();
    expect(file.path(), {rounds * patterns.number, patterns.number, -1});
  }

 private:
  static constexpr int piece = 64;

  [[nodiscard]] Deal pieces(std::int64_t begin, int more, const Patterns& patterns) const {
    Deal deal(static_cast<std::size_t>(program_.size));
    for (int rank = 0; rank < program_.size; ++rank) {
      const bool differs = patterns.all_differ || rank == program_.size - 1;
      for (int i = 0; i < patterns.count + (differs ? more : 0); ++i)
        deal[static_cast<std::size_t>(rank)].push_back(
            {begin + std::int64_t{piece} * (std::int64_t{program_.size} * i + rank), piece});
    }
    return deal;
  }

  struct Expected {
    int calls = 0, patterns = 0, placed = 0;  ///< placed -1: whatever it is
  };
  void expect(const std::string& path, const Expected& expected) {
    if (program_.rank != 0) return;
    const std::string report = reports_.of(path);
    program_.equal(sum_of("\"remembered\":", report), expected.calls - expected.patterns,
                   ("remembered of " + report).c_str());
    if (expected.placed >= 0)
      program_.equal(sum_of("\"placed\":", report), expected.placed, ("placed of " + report).c_str());
  }

  Program& program_;
  Reports reports_;
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (const std::string why = program.no_node_memory(); !why.empty())
    return program.skip(why);  // plans are others
  Tests tests(program);
  const char* text = std::getenv("COLLIO_RANKS_PER_NODE");
  const int nodes = collio::machine::read_emulated_nodes(text ? text : "").value().nodes(program.size);
  const int placed = nodes > 1 ? 1 : 0;
  tests.appends(262144, placed);
  tests.appends(262208, placed);
  tests.in_turn({1, 20, true});
  tests.in_turn({2, 24, true});
  tests.in_turn({2, 28, false});
  tests.in_turn({17, 40, true});
  tests.in_turn({100, 60, true});
  return program.finish();
}
