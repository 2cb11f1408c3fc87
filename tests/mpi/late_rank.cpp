// A rank that is late for the first window whose pieces travel, while others of its node have no bytes in
// that window: they must not run so far ahead that the room for messages is gone when it comes.
#include <ctime>

#include "in_front.hpp"
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int window = 64, windows_of_domain = 24;
bool late = false;

void come_late() {
  if (!late) return;
  late = false;
  const timespec time{0, 30'000'000};
  nanosleep(&time, nullptr);
}

/// Two nodes of three ranks and of one, each with a domain. Rank 0 has the first domain but for its last
/// window, which is rank 3's: a message comes. Of the second, rank 0 has window 0, rank 1 a few bytes of
/// windows 1 and 2, rank 2 has 3 and 4, and rank 3 the rest.
Deal deal_of_ranks() {
  Deal deal(4);
  for (int i = 0; i < 2 * windows_of_domain; ++i) {
    const int at = i - windows_of_domain;
    const std::size_t rank = at < -1 || at == 0 ? 0 : at == 1 || at == 2 ? 1 : at == 3 || at == 4 ? 2 : 3;
    deal[rank].push_back({std::int64_t{i} * window, rank == 1 ? 8 : window});
  }
  return deal;
}

}  // namespace

extern "C" int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                            MPI_Status* status) {
  static const auto real = COLLIO_BEHIND(PMPI_Improbe);
  if (from_engine(__builtin_return_address(0))) come_late();
  return real(source, tag, comm, flag, message, status);
}

int main(int argc, char** argv) {
  Program program(argc, argv, 50);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  if (program.size != 4) return program.skip("4 ranks are needed");
  if (const std::string why = program.no_node_memory(); !why.empty()) return program.skip(why);
  PieceFile file(program, MPI_COMM_WORLD, program.temporary("late"),
                 {{"collio_path", "two_layer"},
                  {"collio_window", std::to_string(window)},
                  {"cb_buffer_size", std::to_string(window)},
                  {"cb_nodes", "4"},
                  {"cb_config_list", "*:1"},
                  {"striping_unit", "512"},
                  {"collio_storage", "threads"}});
  const Deal deal = deal_of_ranks();
  for (int i = 0; i < 3; ++i) {
    late = program.rank == 0;
    file.write(deal);
    program.that(!late, "rank 0 looks for messages");
    file.check();
    late = program.rank == 0;
    file.read(deal);
  }
  file.close();
  return program.finish();
}
