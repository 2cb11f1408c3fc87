// Many files open at once, as programs have them that write a file per variable: each is written and read, with buffers of few.
//
//   many_files FILES   the number of files
#include <fstream>

#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int count = 3000;  // ints of a rank in each file
const std::string memory_mark = "/dev/shm/collio.";

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

class ManyFiles {
 public:
  explicit ManyFiles(Program& program) : program_(program), type_(dealt_ints(program.rank, program.size, 7)) {}
  ManyFiles(const ManyFiles&) = delete;

  void open_one() {
    const std::string name = program_.temporary("many." + std::to_string(files_.size()));
    MPI_Info info = make_info({{"collio_path", "two_layer"}});
    MPI_File file = MPI_FILE_NULL;
    program_.good(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file), "MPI_File_open");
    MPI_Info_free(&info);
    files_.push_back(file);
  }

  void write(std::size_t which) {
    const auto data = data_of(which);
    program_.good(MPI_File_set_view(files_[which], 0, MPI_INT, type_, "native", MPI_INFO_NULL), "MPI_File_set_view");
    program_.good(MPI_File_write_at_all(files_[which], 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE), "MPI_File_write_at_all");
  }

  void read(std::size_t which) {
    std::vector<int> found(count, -1);
    program_.good(MPI_File_read_at_all(files_[which], 0, found.data(), count, MPI_INT, MPI_STATUS_IGNORE), "MPI_File_read_at_all");
    program_.that(found == data_of(which), "data read");
  }

  void close_all() {
    for (MPI_File& file : files_) program_.good(MPI_File_close(&file), "MPI_File_close");
    MPI_Type_free(&type_);
  }

  [[nodiscard]] std::size_t size() const { return files_.size(); }

 private:
  [[nodiscard]] std::vector<int> data_of(std::size_t which) const { return values(program_.rank, count, 10 * static_cast<long long>(which)); }

  Program& program_;
  MPI_Datatype type_;
  std::vector<MPI_File> files_;
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 60);
  const int files = argc > 1 ? std::atoi(argv[1]) : 20;
  ManyFiles many(program);
  many.open_one();
  many.write(0);
  const long long shared_by_one = shared_bytes();
  while (many.size() < static_cast<std::size_t>(files)) {
    many.open_one();
    many.write(many.size() - 1);
  }
  const long long shared_by_all = shared_bytes();
  for (std::size_t i = 0; i < many.size(); ++i) many.read(i);
  if (collio_is_on()) {
    if (program.size > 1) program.that(shared_by_one > 0, "files share memory among the ranks");
    const std::string shared = "shared memory of all files, in bytes: " + std::to_string(shared_by_all) + ", of one " + std::to_string(shared_by_one);
    program.that(shared_by_all <= 2 * shared_by_one, shared.c_str());
  }
  many.close_all();
  return program.finish();
}
