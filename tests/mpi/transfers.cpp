// One-sided transfers, by fences and by locks, under every schedule of rounds: the bytes are right, also
// where a read meets the end of the file, where memory is in pieces, and where a later call needs longer
// buffers; and the report says what was done.
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr std::int64_t total = 300000;

long long number_after(const std::string& report, const std::string& begin) {
  const std::size_t at = report.find(begin);
  return at == std::string::npos ? -1 : std::atoll(report.c_str() + at + begin.size());
}

class Tests {
 public:
  explicit Tests(Program& program) : program_(program), reports_(program) {}

  /// Writes and reads with holes, of pieces up to some hundred bytes, then reads beyond the end.
  void run(const std::string& transfer, const std::string& schedule) {
    for (const char* shortest : {"1", "150"}) {  // the second lets some messages carry their data, others not
      for (const Memory memory : {Memory::contiguous, Memory::scattered}) {
        Dice dice(7);
        const HintList hints{{"collio_transfer", transfer},
                             {"collio_transfer_piece", shortest},
                             {"collio_schedule", schedule},
                             {"collio_path", "two_phase"},
                             {"cb_nodes", "3"},
                             {"cb_buffer_size", "40000"},
                             {"collio_buffers", "3"},
                             {"collio_storage", dice.chance(2) ? "threads" : "posix"}};
        PieceFile file(program_, MPI_COMM_WORLD, program_.temporary("pieces"), hints, 1000);
        for (const int longest : {400, 100}) {
          const Deal deal = deal_out(dice, {program_.size, 0, total, 1, longest, 4});
          file.write(deal, memory);
          file.read(deal, memory);
        }
        file.read(deal_out(dice, {program_.size, total - 20000, 50000, 1, 900}), memory);
        file.close();
        if (program_.rank == 0) check(reports_.of(file.path()), transfer);
      }
    }
  }

  /// A few bytes far apart: most rounds have no pieces. Then more and more of them, for which buffers must
  /// grow.
  void grow(const std::string& transfer) {
    const HintList hints{{"collio_transfer", transfer},
                         {"collio_transfer_piece", "1"},
                         {"collio_path", "two_phase"},
                         {"cb_nodes", "2"}};
    PieceFile file(program_, MPI_COMM_WORLD, program_.temporary("grow"), hints);
    Dice dice(3);
    for (const std::int64_t bytes : {std::int64_t{3000}, std::int64_t{70000}, std::int64_t{3000000}}) {
      const Deal deal = deal_out(dice, {program_.size, 0, bytes, 100, 50, 3});
      file.write(deal);
      file.read(deal, Memory::scattered);
    }
    file.close();
    if (program_.rank == 0) check(reports_.of(file.path()), transfer);
  }

  /// Every rank has a byte at the begin and one at the end of a span of thousands of rounds.
  void far_apart(const std::string& transfer) {
    const HintList hints{{"collio_transfer", transfer},
                         {"collio_transfer_piece", "1"},
                         {"collio_path", "two_phase"},
                         {"cb_nodes", "2"},
                         {"cb_buffer_size", "64"}};
    PieceFile file(program_, MPI_COMM_WORLD, program_.temporary("far"), hints);
    Deal deal(static_cast<std::size_t>(program_.size));
    for (int rank = 0; rank < program_.size; ++rank)
      deal[static_cast<std::size_t>(rank)] = {{rank, 1}, {300000 + rank, 1}};
    file.write(deal);
    file.read(deal);
    file.close();
  }

 private:
  void check(const std::string& report, const std::string& transfer) {
    const auto that = [&](bool good, const std::string& what) {
      program_.that(good, (what + " in " + report).c_str());
    };
    const long long bytes = number_after(report, "\"one_sided\":{\"transfers\":");
    if (program_.size == 1) {
      that(report.find("transfers: two_sided, not " + transfer + ": there is one rank") != std::string::npos,
           "reason of one rank");
      that(bytes == 0, "no one-sided transfers");
      return;
    }
    that(report.find("transfers: " + transfer + ", asked for by hint") != std::string::npos,
         "transfers by " + transfer);
    that(bytes > 0, "one-sided transfers");
  }

  Program& program_;
  Reports reports_;
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  Tests tests(program);
  for (const std::string transfer : {"fence", "lock"}) {
    if (argc > 1 && transfer != argv[1]) continue;
    for (const char* schedule :
         {"none", "communication", "write", "write_communication", "write_communication_2", "dataflow"})
      tests.run(transfer, schedule);
    tests.grow(transfer);
    tests.far_apart(transfer);
  }
  return program.finish();
}
