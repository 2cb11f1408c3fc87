// Many files open at once, as programs have them that write a file per variable: each is written and read,
// with the buffers of few, and with few descriptors and communicators. Calls on them are under way in another
// order on each rank.
//
//   many_files FILES   the number of files
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>

#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int count = 3000;                         // ints of a rank in each file
constexpr long long most_bytes_of_file = 64 << 10;  // of a rank's own memory, with the MPI library's handle
const std::string memory_mark = "/dev/shm/#";       // of files without a name
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;  // with memory for every allocation
#else
constexpr bool sanitized = false;
#endif

/// Bytes of this process's maps that collio shares with other ranks.
long long shared_bytes() {
  std::ifstream maps("/proc/self/maps");
  long long sum = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find(memory_mark) != std::string::npos) {
      unsigned long begin = 0, end = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2) sum += static_cast<long long>(end - begin);
    }
  return sum;
}

/// This process's own memory that is in use.
long long own_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (long long kib = 0; std::sscanf(line.c_str(), "RssAnon: %lld kB", &kib) == 1) return kib << 10;
  return -1;
}

long long open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

class ManyFiles {
 public:
  explicit ManyFiles(Program& program)
      : program_(program), type_(dealt_ints(program.rank, program.size, 7)) {}
  ManyFiles(const ManyFiles&) = delete;

  void open_one() {
    const std::string name = program_.temporary("many." + std::to_string(files_.size()));
    MPI_Info info = make_info({{"collio_path", "two_layer"}});
    MPI_File file = MPI_FILE_NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    const bool on_copy = files_.size() % 3 == 1;  // as HDF5 does
    if (on_copy) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    program_.good(MPI_File_open(comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
                  "MPI_File_open");
    if (on_copy) MPI_Comm_free(&comm);
    MPI_Info_free(&info);
    files_.push_back(file);
  }

  void write(std::size_t which) {
    const auto data = data_of(which);
    program_.good(MPI_File_set_view(files_[which], 0, MPI_INT, type_, "native", MPI_INFO_NULL),
                  "MPI_File_set_view");
    program_.good(MPI_File_write_at_all(files_[which], 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                  "MPI_File_write_at_all");
  }

  void read(std::size_t which) {
    std::vector<int> found(count, -1);
    program_.good(MPI_File_read_at_all(files_[which], 0, found.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                  "MPI_File_read_at_all");
    program_.that(found == data_of(which), "data read");
  }

  /// A write and a read of every file, posted in an order of this rank's, all of them before any is waited
  /// for.
  void write_and_read_in_any_order() {
    std::vector<std::size_t> order(files_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(program_.rank)));
    std::vector<std::vector<int>> data, found(files_.size(), std::vector<int>(count, -1));
    std::vector<MPI_Request> requests(2 * files_.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < files_.size(); ++i) data.push_back(data_of(i + 1));
    for (const std::size_t i : order) {
      program_.good(
          MPI_File_iwrite_at_all(files_[i], count, data[i].data(), count, MPI_INT, &requests[2 * i]),
          "MPI_File_iwrite_at_all");
      program_.good(
          MPI_File_iread_at_all(files_[i], count, found[i].data(), count, MPI_INT, &requests[2 * i + 1]),
          "MPI_File_iread_at_all");
    }
    for (const std::size_t i : order)
      program_.good(MPI_Waitall(2, &requests[2 * i], MPI_STATUSES_IGNORE), "MPI_Waitall");
    program_.that(found == data, "data of calls that were under way together");
  }

  void close_all() {
    for (MPI_File& file : files_) program_.good(MPI_File_close(&file), "MPI_File_close");
    MPI_Type_free(&type_);
  }

  [[nodiscard]] std::size_t size() const { return files_.size(); }

 private:
  [[nodiscard]] std::vector<int> data_of(std::size_t which) const {
    return values(program_.rank, count, 10 * static_cast<long long>(which));
  }

  Program& program_;
  MPI_Datatype type_;
  std::vector<MPI_File> files_;
};

/// As many descriptors as login shells give: the MPI library's own of a thousand files fit in, a second one
/// of each does not.
void take_usual_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, 1024);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  take_usual_limit();
  Program program(argc, argv, 60);
  if (const std::string why = program.no_room_for_files(); !why.empty()) return program.skip(why);
  const int files = argc > 1 ? std::atoi(argv[1]) : 20;
  ManyFiles many(program);
  many.open_one();
  many.write(0);
  const long long shared_by_one = shared_bytes(), descriptors_of_one = open_descriptors(),
                  own_with_one = own_bytes();
  while (many.size() < static_cast<std::size_t>(files)) {
    many.open_one();
    many.write(many.size() - 1);
  }
  const long long shared_by_all = shared_bytes(), descriptors = open_descriptors() - descriptors_of_one,
                  own = own_bytes() - own_with_one;
  for (std::size_t i = 0; i < many.size(); ++i) many.read(i);
  if (collio_is_on()) {
    if (program.size > 1) program.that(shared_by_one > 0, "files share memory among the ranks");
    const std::string shared = "shared memory of all files, in bytes: " + std::to_string(shared_by_all) +
                               ", of one " + std::to_string(shared_by_one);
    program.that(shared_by_all <= 2 * shared_by_one, shared.c_str());
    if (!sanitized && files >= 100)
      program.that(
          own_with_one > 0 && own <= files * most_bytes_of_file,
          ("memory of a rank for " + std::to_string(files) + " files, in bytes: " + std::to_string(own))
              .c_str());
  }
  // The library's own, and one to write by; few for all together.
  program.that(
      descriptors <= 2LL * files + 100,
      ("descriptors of " + std::to_string(files) + " files: " + std::to_string(descriptors)).c_str());
  if (files <= 100) many.write_and_read_in_any_order();
  many.close_all();
  return program.finish();
}
