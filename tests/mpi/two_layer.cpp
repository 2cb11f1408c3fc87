// Calls through windows in the shared memory of a node: overlaps and holes in one call, few ranks that serve,
// windows that pass through the same slots again and again, reads across the end of the file.
#include "machine/emulated_nodes.hpp"
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int window = 4096;

HintList hints_with(HintList more) {
  more.emplace("collio_path", "two_layer");
  more.emplace("collio_window", std::to_string(window));
  return more;
}

class Tests {
 public:
  Tests(Program& program, int nodes) : program_(program), reports_(program), nodes_(nodes) {}

  /// Overlaps in one window and holes in another: bytes in all are the span's, so that only the windows
  /// themselves tell. The holes keep what was there.
  void overlaps_and_holes() {
    for (unsigned seed = 1; seed <= 12; ++seed) {
      Dice dice(seed);
      PieceFile file =
          open("overlaps", hints_with(seed % 3 == 0 ? HintList{{"cb_nodes", "2"}} : HintList{}), 40 * window);
      const Cut cut{program_.size, dice.pick(0, 3) * 1000, 10 * window + dice.pick(0, 5000), 16, 8, 0};
      Deal deal = deal_out(dice, cut);
      const bool moved = move_pieces(dice, deal);
      file.write(deal, memory_of(seed));
      file.check();
      const bool always_masks = nodes_ > 1;
      close(file, moved && !always_masks ? "with masks, as pieces overlap" : "");
    }
  }

  /// cb_nodes: only the aggregators write and read the file, whoever fills the window.
  void few_servers() {
    for (const char* servers : {"1", "2"}) {
      for (const int gap_one_in : {0, 5}) {
        Dice dice(77);
        PieceFile file = open("servers", hints_with({{"cb_nodes", servers}}), 60 * window);
        for (unsigned i = 0; i < 3; ++i) {
          const Cut cut{program_.size, dice.pick(0, 2 * window), 50 * window + dice.pick(0, window), 1, 150,
                        gap_one_in};
          write_and_read(file, dice, cut, memory_of(i));
        }
        file.check();
        close(file);
      }
    }
  }

  /// One slot in each half, and a few: hundreds of windows pass through.
  void many_rounds() {
    for (const char* buffer : {"4096", "65536"}) {
      Dice dice(5);
      PieceFile file = open("rounds", hints_with({{"cb_buffer_size", buffer}}));
      for (const int gap_one_in : {0, 4})
        write_and_read(file, dice, {program_.size, 123, 400 * window, 4, 100, gap_one_in},
                       Memory::contiguous);
      file.check();
      close(file);
    }
  }

  /// The same pieces further on in the file, so that holes on the edges of windows come to lie within, and
  /// the reverse.
  void repeated_calls() {
    for (unsigned seed = 1; seed <= 6; ++seed) {
      Dice dice(seed);
      PieceFile file = open("repeated", hints_with({}), 60 * window);
      Deal deal = deal_out(dice, {program_.size, 0, 10 * window, window, 1, 0});  // whole windows
      for (Pieces& pieces : deal)
        for (Piece& one : pieces) cut_edges(dice, seed, one);
      for (const int further : {0, 0, 1000, 2 * window, 1000, 5 * window + 1, 0}) {
        file.write(moved_by(deal, further), memory_of(seed));
        file.check();
        file.read(moved_by(deal, further), memory_of(seed));
      }
      close(file);
    }
  }

  /// Windows far shorter than a page, and than most pieces.
  void tiny_windows() {
    Dice dice(9);
    PieceFile file = open("tiny", {{"collio_path", "two_layer"}, {"collio_window", "7"}});
    for (const int gap_one_in : {0, 3})
      write_and_read(file, dice, {program_.size, 3, 2000, 1, 40, gap_one_in}, memory_of(0));
    file.check();
    close(file);
  }

  /// More windows than a node has counters for who takes part: some of those that are counted together have
  /// pieces, others have not.
  void many_tiny_windows() {
    constexpr int bytes = 64, windows = 34'000;
    PieceFile file =
        open("counters",
             {{"collio_path", "two_layer"}, {"collio_window", std::to_string(bytes)}, {"cb_nodes", "2"}},
             windows * bytes);
    for (const int shift : {0, 1}) {
      Deal deal(static_cast<std::size_t>(program_.size));
      for (int i = shift; i < windows; i += 2)
        deal[static_cast<std::size_t>(i / 2 % program_.size)].push_back({std::int64_t{i} * bytes, bytes});
      file.read(deal, memory_of(static_cast<unsigned>(shift)));
    }
    close(file);
  }

  /// Ranks without bytes, ranks with bytes in a few windows only.
  void idle_ranks() {
    Dice dice(21);
    PieceFile file = open("idle", hints_with({}));
    for (int i = 0; i < 4; ++i) {
      Deal deal(static_cast<std::size_t>(program_.size));
      const Cut cut{1, i * 9 * window, 9 * window + 100, 1, 200, 0};
      deal[static_cast<std::size_t>(i % program_.size)] = deal_out(dice, cut)[0];
      deal[static_cast<std::size_t>((i + 1) % program_.size)].push_back({(i * 9 + 9) * window + 100, 1});
      file.write(deal);
      file.read(deal);
    }
    file.check();
    close(file);
  }

  /// The file ends in the middle of a window; ranks' pieces have gaps between them, and some lie behind the
  /// end.
  void reads_across_the_end() {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      Dice dice(seed);
      PieceFile file = open("end", hints_with(seed % 2 == 0 ? HintList{{"cb_nodes", "1"}} : HintList{}),
                            dice.pick(1, 12 * window));
      for (unsigned i = 0; i < 3; ++i) {
        const Cut cut{program_.size, dice.pick(0, window), dice.pick(8, 14) * window, 1, 300, 3};
        file.read(deal_out(dice, cut), memory_of(i));
      }
      close(file);
    }
  }

  /// A node has so few bytes of a window that they are packed; some windows are another's alone. The file may
  /// end among them.
  void few_bytes_of_each_window() {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      Dice dice(seed);
      PieceFile file = open("packed", hints_with(seed % 4 == 0 ? HintList{{"cb_nodes", "1"}} : HintList{}),
                            dice.pick(1, 80 * window));
      for (const bool reads : {true, false}) {  // of fewer bytes they would go in one layer
        const Deal deal = far_apart(dice, reads ? 128 : 256);
        if (reads)
          file.read(deal, memory_of(seed));
        else
          file.write(deal, memory_of(seed));
      }
      file.check();
      close(file);
      expect_packed(file);
    }
  }

 private:
  /// A piece of up to 64 bytes every so many.
  [[nodiscard]] Deal far_apart(Dice& dice, int distance) const {
    Deal deal(static_cast<std::size_t>(program_.size));
    const std::int64_t begin = 8 * dice.pick(0, 1000);
    for (std::int64_t at = begin; at < begin + 80 * window; at += distance) {
      const std::int64_t alone = at / window % 5;  // of five windows one
      const std::int64_t rank = alone == 0 ? at / window % program_.size : dice.pick(0, program_.size - 1);
      deal[static_cast<std::size_t>(rank)].push_back({at, static_cast<int>(8 * dice.pick(3, 8))});
    }
    return deal;
  }

  void expect_packed(const PieceFile& file) const {
    if (program_.rank != 0 || nodes_ == 1) return;
    const std::string report = reports_.of(file.path());
    program_.that(sum_of("\"packed\":", report) > 0, ("packed windows in " + report).c_str());
  }

  [[nodiscard]] static Memory memory_of(unsigned i) {
    return i % 2 == 0 ? Memory::contiguous : Memory::scattered;
  }

  /// Shortens a piece that is a whole window, at its begin, its end, or not at all.
  static void cut_edges(Dice& dice, unsigned seed, Piece& one) {
    const auto less = static_cast<int>(dice.pick(0, 2) * 64);
    if (seed == 1 || one.offset == 0 || one.offset == 9 * window)
      return;  // nothing is missing, and never at the ends
    one.length -= less;
    if (seed % 2 == 0) one.offset += less;
  }

  [[nodiscard]] static Deal moved_by(Deal deal, int further) {
    for (Pieces& pieces : deal)
      for (Piece& one : pieces) one.offset += further;
    return deal;
  }

  PieceFile open(const std::string& name, const HintList& hints, std::int64_t old_bytes = 0) {
    return {program_, MPI_COMM_WORLD, program_.temporary(name), hints, old_bytes};
  }

  /// What one deal wrote, another one reads: a rank gets bytes of all others.
  void write_and_read(PieceFile& file, Dice& dice, const Cut& cut, Memory memory) {
    file.write(deal_out(dice, cut), memory);
    file.read(deal_out(dice, cut), memory);
  }

  /// Moves pieces of one rank onto equally long ones of another. True when any was.
  bool move_pieces(Dice& dice, Deal& deal) {
    bool any = false;
    for (std::size_t from = 0; from < deal.size(); ++from) {
      const Deal before = deal;
      const Pieces& others = before[static_cast<std::size_t>(dice.pick(0, program_.size - 1))];
      for (Piece& one : deal[from]) {
        const auto onto = std::ranges::find_if(
            others, [&](const Piece& o) { return o.length == one.length && o.offset != one.offset; });
        const bool inner = one.offset > 3 * 1000 && one.end() < 10 * window;
        if (!inner || onto == others.end() || dice.chance(2)) continue;
        if (std::ranges::count(before[from], onto->offset, &Piece::offset) > 0)
          continue;  // a rank's own do not overlap
        one.offset = onto->offset;
        any = true;
        break;
      }
      std::ranges::sort(deal[from], {}, &Piece::offset);
    }
    return any;
  }

  /// The calls went through two layers, and one reason says `why`.
  void close(PieceFile& file, const std::string& why = "") {
    file.close();
    if (program_.rank != 0) return;
    const std::string report = reports_.of(file.path());
    const std::string path = program_.size > 1 ? "two_layer" : "two_phase";
    program_.that(report.find("\"path\":\"" + path + "\"") != std::string::npos,
                  ("path of the calls in " + report).c_str());
    if (program_.size > 1)
      program_.that(report.find(why) != std::string::npos, ("'" + why + "' in " + report).c_str());
  }

  Program& program_;
  Reports reports_;
  int nodes_;
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const char* placed = std::getenv("COLLIO_RANKS_PER_NODE");
  const int nodes = collio::machine::read_emulated_nodes(placed ? placed : "").value().nodes(program.size);
  if (const std::string why = program.no_room_for_windows(nodes); !why.empty()) return program.skip(why);
  Tests tests(program, nodes);
  if (argc > 1) {  // takes long
    tests.many_tiny_windows();
    return program.finish();
  }
  tests.overlaps_and_holes();
  tests.few_servers();
  tests.many_rounds();
  tests.repeated_calls();
  tests.tiny_windows();
  tests.idle_ranks();
  tests.reads_across_the_end();
  tests.few_bytes_of_each_window();
  return program.finish();
}
