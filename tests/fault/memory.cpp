// Memory: the limit that was asked for is kept, with the right bytes in the file, and a rank that cannot have
// its buffers makes an error of one class on all ranks. Then the file works again.
#include <sys/resource.h>

#include "../mpi/pieces.hpp"

using namespace collio::test;

namespace {

/// A number from the report's line about a call.
long long number_after(const std::string& text, const std::string& key) {
  const auto at = text.find("\"" + key + "\":");
  return at == std::string::npos ? -1 : std::atoll(text.c_str() + at + key.size() + 3);
}

void within_limit(Program& program, const Reports& reports, const char* path, long long limit) {
  PieceFile file(program, MPI_COMM_WORLD, program.temporary("limit"),
                 {{"collio_path", path}, {"collio_memory_limit", std::to_string(limit)}}, 3000);
  Dice dice(7);
  for (const int gap_one_in : {0, 7}) {
    file.write(deal_out(dice, {program.size, 100, 6 << 20, 8, 4000, gap_one_in}));
    file.read(deal_out(dice, {program.size, 0, 6 << 20, 8, 4000, 0}));
  }
  file.check();
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank != 0) return;
  const std::string report = reports.of(file.path());
  program.that(report.find("within " + std::to_string(limit) + " bytes a rank") != std::string::npos ||
                   std::string(path) == "independent",
               "the reason tells of the limit");
  int calls = 0;
  for (std::size_t at = report.find("\"most_buffer_bytes\""); at != std::string::npos;
       at = report.find("\"most_buffer_bytes\"", at + 1), ++calls) {
    const long long most = number_after(report.substr(at), "most_buffer_bytes");
    program.that(
        most >= (std::string(path) == "independent" ? 0 : 1) && most <= limit,
        (std::string(path) + ": bytes of buffers: " + std::to_string(most) + " of " + std::to_string(limit))
            .c_str());
  }
  program.that(calls > 0, "the report tells of buffers");
}

/// Rank 0 is refused `failing` buffers, beginning with buffer number `first`.
void without_memory(Program& program, int first, int failing) {
  setenv("COLLIO_DRILL_MEMORY", ("0:" + std::to_string(first) + ":" + std::to_string(failing)).c_str(), 1);
  MPI_File file = MPI_FILE_NULL;
  MPI_Info info = make_info(
      {{"collio_path", "two_phase"}, {"cb_nodes", std::to_string(program.size)}, {"cb_config_list", "*:*"}});
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("drill").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
               "MPI_File_open");
  MPI_Info_free(&info);
  unsetenv("COLLIO_DRILL_MEMORY");
  MPI_Datatype type = dealt_ints(program.rank, program.size, 16);
  MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL);
  MPI_Type_free(&type);
  const int count = 50000;
  const auto data = values(program.rank, count);
  std::vector<int> found(count);
  MPI_Status status;
  const int code = MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, &status);
  program.equal(program.same_error(code, "a write for which rank 0 has no memory"), MPI_ERR_NO_MEM,
                "class of the error");
  program.equal(status_bytes(status), 0, "bytes written");
  program.good(MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, &status), "the write again");
  program.good(MPI_File_read_at_all(file, 0, found.data(), count, MPI_INT, &status), "MPI_File_read_at_all");
  program.that(found == data, "data afterwards");
  MPI_File_close(&file);
}

/// No rank can have a buffer for memory that is not contiguous, in two layers on one node: the call needs
/// none.
void without_staging(Program& program) {
  if (std::getenv("COLLIO_RANKS_PER_NODE")) return;  // messages need buffers
  if (const std::string why = program.no_room_for_windows(); !why.empty()) {
    if (program.rank == 0) program.left_out(why);
    return;
  }
  setenv("COLLIO_DRILL_MEMORY", (std::to_string(program.rank) + ":1:1000000").c_str(), 1);
  Dice dice(12);
  PieceFile file(program, MPI_COMM_WORLD, program.temporary("staging"), {{"collio_path", "two_layer"}}, 3000);
  unsetenv("COLLIO_DRILL_MEMORY");
  const Deal deal = deal_out(dice, {program.size, 0, 200000, 1, 9000, 0});
  for (int times = 0; times < 2; ++times) {
    file.write(deal, Memory::scattered);
    file.read(deal, Memory::scattered);
  }
  file.check();
  file.close();
}

std::int64_t addresses_in_use() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

/// Bounds this process's address space to little more than it has; 0: lifts the bound.
void limit_addresses(std::int64_t more_bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = more_bytes == 0 ? limit.rlim_max : static_cast<rlim_t>(addresses_in_use() + more_bytes);
  setrlimit(RLIMIT_AS, &limit);
}

/// The kernel refuses the memory: a rank has few bytes, but serves a large window.
void without_addresses(Program& program) {
  if (addresses_in_use() > std::int64_t{1} << 40)
    return program.left_out("a sanitizer has taken all addresses: none can be refused");
  const long long apart = 256LL << 20;
  MPI_File file = MPI_FILE_NULL;
  MPI_Info info = make_info({{"collio_path", "two_phase"},
                             {"cb_nodes", std::to_string(program.size)},
                             {"cb_config_list", "*:*"},
                             {"cb_buffer_size", std::to_string(apart)},
                             {"collio_window", std::to_string(apart)},
                             {"collio_storage", "posix"}});
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("addresses").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
               "MPI_File_open");
  MPI_Info_free(&info);
  const auto data = values(program.rank, 100);
  const MPI_Offset at = program.rank * apart;
  const int last = program.size - 1;
  MPI_Status status;
  program.good(MPI_File_write_at_all(file, program.rank * 400, data.data(), 100, MPI_INT, &status),
               "a small write");
  if (program.rank == last) limit_addresses(32 << 20);
  const int code = MPI_File_write_at_all(file, at, data.data(), 100, MPI_INT, &status);
  if (program.rank == last) limit_addresses(0);
  if (program.size > 1)
    program.equal(program.same_error(code, "a write whose window has no room in a rank's addresses"),
                  MPI_ERR_NO_MEM, "class of the error");
  program.good(MPI_File_write_at_all(file, at, data.data(), 100, MPI_INT, &status), "the write again");
  program.equal(status_bytes(status), 400, "bytes written");
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const Reports reports(program);
  if (program.size > 1)
    without_staging(program);  // first, while the process keeps no buffers; one rank has no two layers
  for (const char* path : {"two_phase", "two_layer", "independent"})
    for (const long long limit : {1LL << 20, 4LL << 20}) within_limit(program, reports, path, limit);
  without_memory(program, 1, 1);
  without_memory(program, 2, 1);
  without_addresses(program);
  return program.finish();
}
