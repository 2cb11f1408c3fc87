// Datatypes that collio cannot describe: the MPI library does the call on all ranks, with the program's view,
// also where one rank alone has such a datatype, and where the program does not wait in the call. The program
// stands in front of what collio asks about datatypes.
#include <chrono>
#include <thread>

#include "in_front.hpp"
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int strange_bytes = 28, no_combiner = 9999;

/// A datatype of this many bytes in a row, as collio sees it.
void make_strange(MPI_Datatype type, int* combiner) {
  MPI_Count bytes = 0;
  PMPI_Type_size_x(type, &bytes);
  if (bytes == strange_bytes && *combiner == MPI_COMBINER_CONTIGUOUS) *combiner = no_combiner;
}

}  // namespace

extern "C" int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types,
                                      int* combiner) {
  const int code = COLLIO_BEHIND(PMPI_Type_get_envelope)(type, integers, addresses, types, combiner);
  if (from_engine(__builtin_return_address(0))) make_strange(type, combiner);
  return code;
}
#if MPI_VERSION >= 4
extern "C" int PMPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses,
                                        MPI_Count* counts, MPI_Count* types, int* combiner) {
  const int code =
      COLLIO_BEHIND(PMPI_Type_get_envelope_c)(type, integers, addresses, counts, types, combiner);
  if (from_engine(__builtin_return_address(0))) make_strange(type, combiner);
  return code;
}
#endif

namespace {

constexpr int blocks = 300;                 ///< more than a plain view has
constexpr int block_bytes = strange_bytes;  ///< of a rank in a row

enum class Strange { last, all };  ///< which ranks have such a datatype

class Tests {
 public:
  Tests(Program& program, Strange who)
      : program_(program), strange_(who == Strange::all || program.rank == program.size - 1) {
    MPI_Type_contiguous(strange_ ? strange_bytes : 1, MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ~Tests() { MPI_Type_free(&type_); }
  Tests(const Tests&) = delete;
  Tests& operator=(const Tests&) = delete;

  /// Ranks' blocks lie in turn in the file, in a view of which the MPI library has the etype alone.
  void run() {
    const std::string path = program_.temporary("undescribed");
    MPI_File file = MPI_FILE_NULL;
    program_.good(
        MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
        "MPI_File_open");
    set_view(file);
    const auto data = bytes_of_rank(program_.rank);
    const int a_third = blocks / 3 * (strange_ ? 1 : strange_bytes);
    const std::size_t third = data.size() / 3;
    const char* from = data.data();
    MPI_Request requests[2];
    program_.good(MPI_File_iwrite_all(file, from, a_third, type_, &requests[0]), "MPI_File_iwrite_all");
    move_on(&requests[0]);
    // It may wait for the last rank, as the MPI library is given the view: the next call goes on behind it.
    program_.equal(position(file), static_cast<long long>(third), "position of the file pointer");
    program_.good(MPI_File_iwrite_all(file, from + third, a_third, type_, &requests[1]),
                  "MPI_File_iwrite_all");
    program_.equal(position(file), static_cast<long long>(2 * third), "position of the file pointer");
    program_.good(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    program_.equal(position(file), static_cast<long long>(2 * third), "position of the file pointer");
    program_.good(MPI_File_write_all(file, from + 2 * third, a_third, type_, MPI_STATUS_IGNORE),
                  "MPI_File_write_all");
    check_file(path);
    read(file);
    program_.good(MPI_File_close(&file), "MPI_File_close");
  }

 private:
  /// The last rank comes to the call and then does something else for a while.
  void move_on(MPI_Request* request) {
    const double begin_s = MPI_Wtime();
    const bool last = program_.rank == program_.size - 1;
    int done = 0;
    do MPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (!last && MPI_Wtime() - begin_s < 0.15);
    if (last) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }

  [[nodiscard]] static long long position(MPI_File file) {
    MPI_Offset offset = 0;
    MPI_File_get_position(file, &offset);
    return offset;
  }

  void set_view(MPI_File file) {
    MPI_Datatype row = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
    MPI_Type_vector(blocks, block_bytes, block_bytes * program_.size, MPI_BYTE, &row);
    MPI_Type_create_resized(row, 0, static_cast<MPI_Aint>(blocks) * block_bytes * program_.size, &type);
    MPI_Type_commit(&type);
    program_.good(MPI_File_set_view(file, static_cast<MPI_Offset>(block_bytes) * program_.rank, MPI_BYTE,
                                    type, "native", MPI_INFO_NULL),
                  "MPI_File_set_view");
    MPI_Type_free(&row);
    MPI_Type_free(&type);
  }

  [[nodiscard]] static std::vector<char> bytes_of_rank(int rank) {
    std::vector<char> data(static_cast<std::size_t>(blocks) * block_bytes);
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<char>(i * 7 + static_cast<std::size_t>(rank));
    return data;
  }

  void check_file(const std::string& path) {
    MPI_Barrier(MPI_COMM_WORLD);
    std::ifstream in(path, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(in), {}};
    std::string expected(
        static_cast<std::size_t>(blocks) * block_bytes * static_cast<std::size_t>(program_.size), 0);
    for (int rank = 0; rank < program_.size; ++rank) {
      const auto data = bytes_of_rank(rank);
      for (std::size_t b = 0; b < blocks; ++b)
        std::copy_n(
            data.data() + b * block_bytes, block_bytes,
            expected.data() +
                (b * static_cast<std::size_t>(program_.size) + static_cast<std::size_t>(rank)) * block_bytes);
    }
    program_.that(all == expected, "bytes of the file");
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void read(MPI_File file) {
    std::vector<char> found(static_cast<std::size_t>(blocks) * block_bytes);
    const int all = blocks * (strange_ ? 1 : strange_bytes);
    program_.good(MPI_File_read_at_all(file, 0, found.data(), all, type_, MPI_STATUS_IGNORE),
                  "MPI_File_read_at_all");
    program_.that(found == bytes_of_rank(program_.rank), "bytes that were read");
    std::ranges::fill(found, 0);
    program_.good(MPI_File_read_at_all_begin(file, 0, found.data(), all, type_),
                  "MPI_File_read_at_all_begin");
    program_.good(MPI_File_read_at_all_end(file, found.data(), MPI_STATUS_IGNORE),
                  "MPI_File_read_at_all_end");
    program_.that(found == bytes_of_rank(program_.rank), "bytes that were read by a split call");
  }

  Program& program_;
  bool strange_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  for (const Strange who : {Strange::last, Strange::all}) Tests(program, who).run();
  return program.finish();
}
