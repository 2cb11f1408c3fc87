// Calls in which ranks do not meet (romio_cb_read=disable, romio_cb_write=disable): nobody waits, bytes are
// right, and an error of one rank reaches the others when they meet: in a call of another kind, or the close.
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int block = 50000, blocks = 12;

/// A file in which call i of a rank is for the i-th of its blocks. All blocks are there at first.
class Blocks {
 public:
  Blocks(Program& program, const std::string& name, const std::string& faults = "none",
         const std::string& writes = "automatic")
      : program_(program), path_(program.temporary(name)), data_(block) {
    MPI_Info info = make_info({{"collio_path", "independent"},
                               {"romio_cb_read", "disable"},
                               {"romio_cb_write", writes},
                               {"collio_faults", faults}});
    program.good(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file_),
                 "MPI_File_open");
    MPI_Info_free(&info);
    if (writes != "automatic") return;
    for (int i = 0; i < blocks; ++i) write(i, i);
    settle(file_, MPI_COMM_WORLD);
  }
  void write(int call, int version) { program_.good(try_write(call, version), "MPI_File_write_at_all"); }
  [[nodiscard]] int try_write(int call, int version) {
    std::fill(data_.begin(), data_.end(), content(version, program_.rank));
    return MPI_File_write_at_all(file_, offset(call, program_.rank), data_.data(), block, MPI_BYTE,
                                 MPI_STATUS_IGNORE);
  }
  [[nodiscard]] int read(int call, int count = block) {
    return MPI_File_read_at_all(file_, offset(call, program_.rank), data_.data(), count, MPI_BYTE,
                                MPI_STATUS_IGNORE);
  }
  /// The block of rank `of`, in which it wrote `version`.
  void read_well(int call, int of, int version) {
    program_.good(
        MPI_File_read_at_all(file_, offset(call, of), data_.data(), block, MPI_BYTE, MPI_STATUS_IGNORE),
        "MPI_File_read_at_all");
    program_.equal(std::count(data_.begin(), data_.end(), content(version, of)), block, "bytes of the block");
  }
  /// `count` bytes, contiguous in the file; in memory every second byte if `count` is odd.
  void read_part(int call, int count) {
    const int step = 1 + count % 2;
    std::vector<char> data(static_cast<std::size_t>(count * step + 1));
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_BYTE, 0, step, &type);
    MPI_Type_commit(&type);
    program_.good(
        MPI_File_read_at_all(file_, offset(call, program_.rank), data.data(), count, type, MPI_STATUS_IGNORE),
        "MPI_File_read_at_all");
    MPI_Type_free(&type);
    program_.equal(std::count(data.begin(), data.end(), content(call, program_.rank)), count, "bytes read");
  }
  [[nodiscard]] int set_view() {
    return MPI_File_set_view(file_, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  }
  void settle_all() { settle(file_, MPI_COMM_WORLD); }
  [[nodiscard]] int close() { return MPI_File_close(&file_); }
  /// Once it is closed: opens it again, reads all blocks and closes it.
  void reopen() {
    program_.good(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file_),
                  "MPI_File_open");
    for (int i = 0; i < blocks; ++i) read_well(i, program_.rank, i);
    program_.good(MPI_File_close(&file_), "MPI_File_close");
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] MPI_Offset offset(int call, int of) const {
    return (MPI_Offset{call} * program_.size + of) * block;
  }
  [[nodiscard]] static char content(int version, int of) { return static_cast<char>(1 + version * 7 + of); }

  Program& program_;
  std::string path_;
  std::vector<char> data_;
  MPI_File file_ = MPI_FILE_NULL;
};

class Tests {
 public:
  explicit Tests(Program& program) : program_(program), reports_(program) {}

  /// Rank 0 makes all its reads before the last rank makes its first: a meeting would never end.
  void nobody_waits() {
    Blocks file(program_, "nobody_waits");
    await_first();
    for (int i = 0; i < blocks; ++i) file.read_well(i, program_.rank, i);
    let_last();
    program_.good(file.close(), "MPI_File_close");
    count(file.path(), {.unmet = blocks, .met_once = blocks - 1, .repeats = 2 * blocks});
  }

  /// The same of writes, and nobody meets in reads either.
  void nobody_waits_to_write() {
    Blocks file(program_, "nobody_waits_to_write", "none", "disable");
    file.write(0, 0);  // ranks meet until all have the file open
    await_first();
    for (int i = 1; i < blocks; ++i) file.write(i, i);
    let_last();
    file.settle_all();
    for (int i = 0; i < blocks; ++i) file.read_well(i, (program_.rank + 1) % program_.size, i);
    program_.good(file.close(), "MPI_File_close");
    count(file.path(), {.unmet = 2 * blocks, .met_once = 0, .repeats = 2 * blocks});
  }

  /// A write fails on rank 0: there at once, on all ranks in the close; the others' bytes are in the file.
  void late_write() {
    Blocks file(program_, "late_write", "0:write4:EIO", "disable");
    for (int i = 0; i < blocks; ++i) {
      const int code = file.try_write(i, i);
      if (program_.rank == 0 && i == 3)
        program_.that(code != MPI_SUCCESS, "a write that fails");
      else
        program_.good(code, "MPI_File_write_at_all");
    }
    heard(file.close(), "MPI_File_close");
  }

  /// Read 3 fails on `rank`: there at once, on all ranks in the write after it, and no further.
  void late(const std::string& faults, int rank) {
    Blocks file(program_, "late", faults);
    for (int i = 0; i < blocks; ++i) {
      const bool mine = i == 3 && program_.rank == rank;
      const int code = file.read(i, mine && faults == "none" ? -1 : block);
      if (mine)
        program_.that(code != MPI_SUCCESS, "a read that fails");
      else
        program_.good(code, "MPI_File_read_at_all");
    }
    heard(file.try_write(0, 9), "MPI_File_write_at_all");
    file.write(0, 9);
    file.read_well(0, program_.rank, 9);
    program_.good(file.close(), "MPI_File_close");
  }

  /// The same where ranks set a view or close the file before they meet in a write.
  void late_outside(bool closes) {
    Blocks file(program_, "late_outside", "0:read4:EIO");
    for (int i = 0; i < 6; ++i) {
      const int code = file.read(i);
      if (i != 3 || program_.rank != 0) program_.good(code, "MPI_File_read_at_all");
    }
    if (!closes) {
      heard(file.set_view(), "MPI_File_set_view");
      program_.good(file.set_view(), "MPI_File_set_view");
    }
    const int code = file.close();
    if (closes)
      heard(code, "MPI_File_close");
    else
      program_.good(code, "MPI_File_close");
    file.reopen();
  }

  /// The rank whose read fails gives up and closes the file; the others go on to another call, which fails.
  void gives_up() {
    Blocks file(program_, "gives_up", "0:read4:EIO");
    int code = MPI_SUCCESS;
    for (int i = 0; i < 6 && code == MPI_SUCCESS; ++i) code = file.read(i);
    if (program_.rank != 0) {
      program_.good(code, "MPI_File_read_at_all");
      program_.that(file.set_view() != MPI_SUCCESS, "MPI_File_set_view tells of a read that failed");
      program_.that(file.read(6) != MPI_SUCCESS, "the next read does, too");
    }
    program_.good(file.close(), "MPI_File_close");
  }

  /// The same, and the last rank's next read fails while rank 0 waits in the close: that error is not lost.
  void gives_up_first() {
    if (program_.size < 3) return;
    const int last = program_.size - 1;
    Blocks file(program_, "gives_up_first", "0:read4:EIO");
    int code = MPI_SUCCESS;
    for (int i = 0; i < 6 && code == MPI_SUCCESS; ++i) code = file.read(i);
    if (program_.rank != 0) {
      program_.that(file.set_view() != MPI_SUCCESS, "MPI_File_set_view tells of a read that failed");
      program_.that(file.read(6) != MPI_SUCCESS, "the next read does, too");
      code = file.read(7, program_.rank == last ? -1 : block);
      program_.that((code != MPI_SUCCESS) == (program_.rank == last), "a read that fails on the last rank");
    }
    heard(file.close(), "MPI_File_close");
  }

  /// More files than communicators are made for: reads always meet, and an error comes on all ranks at once.
  void many_files() {
    constexpr int many = 24;
    std::vector<std::unique_ptr<Blocks>> files;
    for (int i = 0; i < many; ++i)
      files.push_back(std::make_unique<Blocks>(program_, "many_" + std::to_string(i), "0:read4:EIO"));
    for (const auto& file : files) {
      int read = 0;
      while (read < 6 && file->read(read) == MPI_SUCCESS) ++read;
      program_.that(read >= 3, "reads before the one that fails");
      static_cast<void>(file->close());
    }
    const std::string report = reports_.of(files.back()->path());
    if (program_.rank == 0) program_.equal(sum_of("\"unmet\":", report), 0, ("unmet of " + report).c_str());
  }

  /// Reads of any length, also none, into memory of two kinds.
  void lengths() {
    Blocks file(program_, "lengths");
    for (int i = 0; i < 40; ++i) {
      std::vector<int> counts;
      for (int r = 0; r < program_.size; ++r)
        counts.push_back(static_cast<int>(dice_.chance(5) ? 0 : dice_.pick(1, block)));
      file.read_part(i % blocks, counts[static_cast<std::size_t>(program_.rank)]);
    }
    program_.good(file.close(), "MPI_File_close");
  }

  /// A write begins when all ranks have read what it changes, and a read when all have written.
  void turned() {
    Blocks file(program_, "turned");
    const int next = (program_.rank + 1) % program_.size, late = program_.size - 1;
    for (int i = 0; i < 5; ++i) {
      usleep(i == 4 && program_.rank == late ? 50000 : 0);
      file.read_well(4, next, 4);
    }
    file.write(4, 9);
    file.read_well(4, next, 9);
    program_.good(file.close(), "MPI_File_close");
  }

  /// Pieces of all kinds, each call through a view of its own.
  void pieces() {
    PieceFile file(program_, MPI_COMM_WORLD, program_.temporary("pieces"),
                   {{"collio_path", "independent"}, {"romio_cb_read", "disable"}});
    for (int i = 0; i < 30; ++i) {
      const Deal deal =
          deal_out(dice_, {program_.size, dice_.pick(0, 100000), dice_.pick(1, 60000), 1, 300, 5});
      if (i % 10 == 0) file.write(deal, i == 10 ? Memory::scattered : Memory::contiguous);
      file.read(deal, i % 7 == 0 ? Memory::scattered : Memory::contiguous);
    }
    file.check();
    file.close();
  }

 private:
  /// The outcome of a call in which ranks hear of another's error: an error on all. One rank alone has been
  /// told.
  void heard(int code, const char* call) {
    if (program_.size > 1)
      program_.same_error(code, call);
    else
      program_.good(code, call);
  }
  /// The last rank waits for rank 0, which comes with let_last().
  void await_first() {
    if (program_.rank == program_.size - 1 && program_.size > 1)
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  void let_last() {
    if (program_.rank == 0 && program_.size > 1)
      MPI_Send(nullptr, 0, MPI_BYTE, program_.size - 1, 0, MPI_COMM_WORLD);
  }
  struct Counts {
    long long unmet = 0, met_once = 0, repeats = 0;
  };
  void count(const std::string& path, const Counts& expected) {
    if (program_.rank != 0) return;
    const std::string report = reports_.of(path);
    program_.equal(sum_of("\"unmet\":", report), expected.unmet, ("unmet of " + report).c_str());
    program_.equal(sum_of("\"met_once\":", report), expected.met_once, ("met_once of " + report).c_str());
    program_.equal(sum_of("\"repeats\":", report), expected.repeats, ("repeats of " + report).c_str());
  }

  Program& program_;
  Reports reports_;
  Dice dice_{11};
};

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  Tests tests(program);
  tests.nobody_waits();
  tests.nobody_waits_to_write();
  tests.late_write();
  tests.late("0:read4:EIO", 0);
  tests.late("none", program.size - 1);
  tests.late_outside(false);
  tests.late_outside(true);
  tests.gives_up();
  tests.gives_up_first();
  tests.many_files();
  tests.lengths();
  tests.turned();
  tests.pieces();
  return program.finish();
}
