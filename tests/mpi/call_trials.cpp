// Calls of one pattern, so often that other paths and transfers are tried on them: the bytes are right
// whichever way a call went, here and further on in the file, and the report says what was tried.
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int calls = 250;

/// The same pieces `distance` bytes further on.
Deal moved(Deal deal, std::int64_t distance) {
  for (Pieces& pieces : deal)
    for (Piece& one : pieces) one.offset += distance;
  return deal;
}

class Tests {
 public:
  explicit Tests(Program& program) : program_(program), reports_(program) {}

  /// Writes and reads in turn. Distances are multiples of the file system's block, and not. Storage is slow,
  /// so that by any estimate other ways are worth a trial, on computers slow and fast.
  void run(HintList hints, const std::vector<std::string>& expected) {
    hints["collio_faults"] = "all:write:delay=0.00002/all:read:delay=0.00002";
    Dice dice(11);
    const Deal deal = deal_out(dice, {program_.size, 0, 40000, 1, 2000, 5});
    PieceFile file(program_, MPI_COMM_WORLD, program_.temporary("trials"), hints, 300000);
    for (int i = 0; i < calls; ++i) {
      const Deal here = moved(deal, i % 7 == 0 ? 777 : 65536 * (i % 4));
      file.write(here, i % 3 == 0 ? Memory::scattered : Memory::contiguous);
      file.read(here);
      if (i % 100 == 0) file.check();
    }
    file.check();
    file.close();
    if (program_.rank != 0) return;
    const std::string report = reports_.of(file.path());
    for (const std::string& text : expected)
      program_.that(report.find(text) != std::string::npos, (text + " in " + report).c_str());
  }

  /// A file for each call: what was found out of the pattern goes on to the next. Without that the pattern of
  /// every file is a new one.
  void a_file_for_each_call() {
    Dice dice(12);
    const Deal deal = deal_out(dice, {program_.size, 0, 40000, 1, 2000, 5});
    const HintList hints{{"collio_faults", "all:write:delay=0.00002/all:read:delay=0.00002"}};
    const std::string path = program_.temporary("checkpoint");
    for (int i = 0; i < 300; ++i) {
      PieceFile file(program_, MPI_COMM_WORLD, path, hints);
      file.write(deal);
      if (i % 50 == 0) file.check();
      file.close();
    }
    const std::string report = program_.rank == 0 ? reports_.of(path) : "";
    if (report.empty() || program_.size == 1) return;
    program_.that(report.find("calls were trials") != std::string::npos,
                  ("calls were trials in " + report).c_str());
  }

 private:
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
  const bool alone = program.size == 1;
  const std::string tried = alone ? "\"call_trials\":\"\"" : "calls were trials";
  tests.run({}, {tried});
  tests.run({{"collio_path", "two_phase"}, {"collio_transfer", "auto"}, {"collio_transfer_piece", "1"}},
            {tried, alone ? "transfers: two_sided" : "transfers: lock, by trials"});
  tests.run({{"collio_path", "two_phase"}, {"collio_transfer", "two_sided"}}, {"\"call_trials\":\"\""});
  tests.a_file_for_each_call();
  return program.finish();
}
