// Calls in which each rank makes its own calls on the file, again and again: from the second on the bytes
// move before the ranks meet. They are right, and so are errors, also where ranks do something else than
// before.
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int block = 100000, calls = 12;

class Tests {
 public:
  explicit Tests(Program& program) : program_(program), reports_(program) {}

  /// Blocks of the ranks one behind the other, further on with every call.
  void repeated() {
    PieceFile file = open("repeated");
    for (int i = 0; i < calls; ++i) {
      file.write(blocks(i));
      file.read(blocks(i));
    }
    file.check();
    file.close();
    if (program_.rank != 0) return;
    const std::string report = reports_.of(file.path());
    program_.equal(sum_of("\"met_once\":", report), 2 * (calls - 1), ("met_once of " + report).c_str());
  }

  /// In one call of the row: one rank has other pieces; none; small ones between the others' bytes.
  void changed() {
    PieceFile file = open("changed");
    for (int i = 0; i < calls; ++i) {
      Deal deal = blocks(i);
      Pieces& last = deal.back();
      if (i == 4) last = {{last[0].offset, 7}, {last[0].offset + 10, 4000}, {last[0].offset + 5000, 90000}};
      if (i == 6) last.clear();
      if (i == 8) deal = deal_out(dice_, {program_.size, i * stride(), stride(), 1, 300, 5});
      file.write(deal, i == 9 ? Memory::scattered : Memory::contiguous);
      file.read(deal);
    }
    file.check();
    file.close();
  }

  /// Rank 0 writes by itself what all read in their next call, without a barrier.
  void mixed() {
    PieceFile file = open("mixed");
    std::vector<char> page(block), found(block);
    MPI_File handle = file.handle();
    for (int i = 0; i < calls; ++i) {
      std::fill(page.begin(), page.end(), static_cast<char>(i));
      usleep(program_.rank == 0 ? 2000 : 0);
      if (program_.rank == 0 && i >= calls / 2)
        program_.good(MPI_File_write_at(handle, 0, page.data(), block, MPI_BYTE, MPI_STATUS_IGNORE), "write");
      program_.good(MPI_File_read_at_all(handle, 0, found.data(), block, MPI_BYTE, MPI_STATUS_IGNORE),
                    "read");
      if (i > calls / 2) program_.that(found == page, "what rank 0 has written");
    }
    file.close();
  }

  /// A rank cannot write, or gives a count that is none: an error on all ranks from the same call, and the
  /// calls behind it are right again.
  void failed(const std::string& faults = "") {
    MPI_File file = MPI_FILE_NULL;
    const std::string path = program_.temporary(faults.empty() ? "refused" : "failed");
    HintList hints{{"collio_path", "independent"}};
    if (!faults.empty()) hints["collio_faults"] = faults;
    MPI_Info info = make_info(hints);
    program_.good(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
                  "MPI_File_open");
    MPI_Info_free(&info);
    std::vector<char> data(block);
    for (int i = 0; i < calls; ++i) {
      std::fill(data.begin(), data.end(), static_cast<char>(i + program_.rank));
      const bool refused = faults.empty() && i == 5;
      const int count = refused && program_.rank == program_.size - 1 ? -1 : block;
      const int code =
          MPI_File_write_at_all(file, offset(i), data.data(), count, MPI_BYTE, MPI_STATUS_IGNORE);
      if (i == 5)
        program_.same_error(code, "MPI_File_write_at_all");
      else
        program_.good(code, "MPI_File_write_at_all");
    }
    settle(file, MPI_COMM_WORLD);
    for (int i = 6; i < calls; ++i) {
      program_.good(MPI_File_read_at_all(file, offset(i), data.data(), block, MPI_BYTE, MPI_STATUS_IGNORE),
                    "MPI_File_read_at_all");
      const char expected = static_cast<char>(i + program_.rank);
      program_.equal(std::count(data.begin(), data.end(), expected), block, "bytes of the rank's block");
    }
    program_.good(MPI_File_close(&file), "MPI_File_close");
  }

 private:
  [[nodiscard]] std::int64_t stride() const { return std::int64_t{block} * program_.size; }
  [[nodiscard]] MPI_Offset offset(int call) const { return call * stride() + program_.rank * block; }
  [[nodiscard]] Deal blocks(int call) const {
    Deal deal;
    for (int r = 0; r < program_.size; ++r) deal.push_back({{call * stride() + r * block, block}});
    return deal;
  }
  PieceFile open(const std::string& name) {
    return {program_, MPI_COMM_WORLD, program_.temporary(name), {{"collio_path", "independent"}}};
  }

  Program& program_;
  Reports reports_;
  Dice dice_{5};
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  Tests tests(program);
  tests.repeated();
  tests.changed();
  tests.mixed();
  tests.failed();
  tests.failed("0:write6:EIO");
  return program.finish();
}
