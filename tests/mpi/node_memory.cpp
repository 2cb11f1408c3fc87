// Shared memory is kept from file to file: files of one communicator and of others, open at the same time,
// closed in another order, never see each other's windows.
#include <memory>

#include "pieces.hpp"

using namespace collio::test;

namespace {

const HintList hints{{"collio_path", "two_layer"}, {"collio_window", "4096"}};
constexpr std::int64_t old_bytes = 20000;  // of every file; some calls go beyond
using Files = std::vector<std::unique_ptr<PieceFile>>;

Cut cut_of(const PieceFile& file, Dice& dice, int gap_one_in = 0) {
  return {file.size(), dice.pick(0, 3000), dice.pick(1, 40000), 1, 90, gap_one_in};
}

/// Writes, with holes or without, and reads what others wrote.
void use(PieceFile& file, Dice& dice) {
  file.write(deal_out(dice, cut_of(file, dice, dice.chance(2) ? 3 : 0)),
             dice.chance(3) ? Memory::scattered : Memory::contiguous);
  file.read(deal_out(dice, cut_of(file, dice)), dice.chance(3) ? Memory::scattered : Memory::contiguous);
}

/// More files than memory is kept for, used in turns, closed in a random order with calls in between.
void many_files(Program& program) {
  Dice dice(31);
  Files files;
  for (int i = 0; i < 6; ++i)
    files.push_back(std::make_unique<PieceFile>(
        program, MPI_COMM_WORLD, program.temporary("memory." + std::to_string(i)), hints, old_bytes));
  for (int i = 0; i < 18; ++i) use(*files[static_cast<std::size_t>(dice.pick(0, 5))], dice);
  while (!files.empty()) {
    const auto next = files.begin() + dice.pick(0, static_cast<std::int64_t>(files.size()) - 1);
    (*next)->check();
    (*next)->close();
    files.erase(next);
    for (const auto& file : files) use(*file, dice);
  }
}

/// One file after the other: the second has the first one's memory, in windows of another length, after a
/// call with holes.
void one_after_the_other(Program& program) {
  Dice dice(32);
  for (int i = 0; i < 10; ++i) {
    const HintList other{{"collio_path", "two_layer"},
                         {"collio_window", std::to_string(dice.pick(100, 70000))}};
    PieceFile file(program, MPI_COMM_WORLD, program.temporary("turn"), other, old_bytes);
    use(file, dice);
    file.check();
    file.close();
  }
}

/// Calls of few bytes and of many in turn: the memory has pages for what they need, and gets more. Then files
/// that find it so.
void calls_that_grow(Program& program) {
  Dice dice(36);
  for (int i = 0; i < 3; ++i) {
    PieceFile file(program, MPI_COMM_WORLD, program.temporary("grows"), {{"collio_path", "two_layer"}},
                   old_bytes);
    for (const std::int64_t bytes : {200, 70000, 3000000, 500, 9000000}) {
      const Cut cut{file.size(), dice.pick(0, 3000), bytes, 1, 3000, dice.chance(2) ? 5 : 0};
      file.write(deal_out(dice, cut));
      file.read(deal_out(dice, cut));
    }
    file.check();
    file.close();
  }
}

/// Communicators over some ranks or all, in several orders. Freed at the end.
class Communicators {
 public:
  explicit Communicators(Program& program) {
    Dice dice(33);
    add(0, program.rank);
    add(0, -program.rank);
    add(program.rank % 2, program.rank);
    add(program.rank * 2 / program.size, -program.rank);
    std::vector<int> keys;
    for (int i = 0; i < program.size; ++i) keys.push_back(static_cast<int>(dice.pick(0, 1000)));
    add(0, keys[static_cast<std::size_t>(program.rank)]);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    all_.push_back({copy, program.rank});
  }
  Communicators(const Communicators&) = delete;
  ~Communicators() {
    for (One& one : all_) MPI_Comm_free(&one.comm);
  }

  struct One {
    MPI_Comm comm;
    int part;  ///< names this rank's part among those made at the same time
  };
  [[nodiscard]] const std::vector<One>& all() const { return all_; }

 private:
  void add(int part, int key) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, part, key, &comm);
    all_.push_back({comm, part});
  }
  std::vector<One> all_;
};

/// Name of this rank's file on a communicator; every rank's part has one, and all are removed.
std::string name_in(Program& program, std::size_t which, int part) {
  const std::string base = "parts." + std::to_string(which) + ".";
  for (int i = 0; i < program.size; ++i) program.temporary(base + std::to_string(i));
  return program.path(base + std::to_string(part));
}

/// Files of many communicators, open at once. Each rank goes through them in one order, as the standard
/// demands, and parts of one communicator do other things at the same time.
void many_communicators(Program& program) {
  const Communicators communicators(program);
  Files files;
  for (std::size_t i = 0; i < communicators.all().size(); ++i) {
    const auto& [comm, part] = communicators.all()[i];
    files.push_back(std::make_unique<PieceFile>(program, comm, name_in(program, i, part), hints, old_bytes));
  }
  Dice order(34);
  for (int turn = 0; turn < 25; ++turn) {
    const auto which = static_cast<std::size_t>(order.pick(0, static_cast<std::int64_t>(files.size()) - 1));
    Dice dice(static_cast<unsigned>(1000 + 100 * turn + communicators.all()[which].part));
    std::unique_ptr<PieceFile>& file = files[which];
    use(*file, dice);
    if (!order.chance(3)) continue;
    // The same communicator's next file: it gets memory that was given back.
    file->check();
    file->close();
    file = std::make_unique<PieceFile>(program, communicators.all()[which].comm, std::string(file->path()),
                                       hints, old_bytes);
    use(*file, dice);
  }
  for (const auto& file : files) {
    file->check();
    file->close();
  }
}

/// Ranks in an order of their own, with nodes of 1, 2, … ranks: two layers where any node has more than one.
void shuffled_ranks(Program& program, const Reports& reports) {
  for (const int key : {-program.rank, program.rank * 5 % 8, (program.rank ^ 1) * 3 % 7}) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, key, &comm);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    for (const int per_node : {1, 2, 3, program.size, 100}) {
      setenv("COLLIO_RANKS_PER_NODE", std::to_string(per_node).c_str(), 1);
      Dice dice(static_cast<unsigned>(35 + per_node));
      PieceFile file(program, comm, program.temporary("shuffled"), hints, old_bytes);
      for (int i = 0; i < 3; ++i) use(file, dice);
      file.check();
      file.close();
      const char* path =
          per_node > 1 && program.size > 1 ? "\"path\":\"two_layer\"" : "\"path\":\"two_phase\"";
      if (rank == 0)
        program.that(reports.of(file.path()).find(path) != std::string::npos,
                     (std::string(path) + " in " + reports.of(file.path())).c_str());
      MPI_Barrier(comm);
    }
    MPI_Comm_free(&comm);
  }
  unsetenv("COLLIO_RANKS_PER_NODE");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (const std::string why = program.no_room_for_windows(program.size); !why.empty())
    return program.skip(why);
  const Reports reports(program);
  many_files(program);
  calls_that_grow(program);
  one_after_the_other(program);
  many_communicators(program);
  shuffled_ranks(program, reports);
  return program.finish();
}
