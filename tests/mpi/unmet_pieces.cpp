// Calls without a reduction of bytes in a row: the file pointer and statuses, and which writes take a lock.
#include <fcntl.h>

#include <thread>

#include "pieces.hpp"

using namespace collio::test;

namespace {

/// A lock on a whole file that another program could hold. Collective.
class HeldLock {
 public:
  HeldLock(Program& program, const std::string& path) : fd_(open(path.c_str(), O_RDWR)) {
    program.that(fd_ >= 0 && (program.rank != 0 || set(F_WRLCK)), "a lock on the file");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~HeldLock() {
    MPI_Barrier(MPI_COMM_WORLD);
    ::close(fd_);
  }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  void end() { set(F_UNLCK); }

 private:
  bool set(short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return fcntl(fd_, F_OFD_SETLK, &lock) == 0;
  }
  int fd_;
};

/// A file of ints, of which each rank sees its own alone: 100 a call.
class Numbers {
 public:
  Numbers(Program& program, const std::string& name) : program_(program), path_(program.temporary(name)) {
    MPI_Info info = make_info({{"romio_cb_read", "disable"}, {"romio_cb_write", "disable"}});
    program.good(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file_),
                 "MPI_File_open");
    MPI_Info_free(&info);
    MPI_Type_contiguous(count, MPI_INT, &row_);
    MPI_Type_commit(&row_);
    see(false);
  }
  ~Numbers() {
    MPI_Type_free(&row_);
    program_.good(MPI_File_close(&file_), "MPI_File_close");
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  /// This rank's view has a hole behind its numbers, or ends there.
  void see(bool hole) {
    const MPI_Offset bytes = MPI_Offset{calls * count} * MPI_Offset{sizeof(int)};
    MPI_Datatype own = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(calls * count, MPI_INT, &own);
    MPI_Type_create_resized(own, 0, bytes + (hole ? MPI_Offset{sizeof(int)} : 0), &type);
    MPI_Type_commit(&type);
    program_.good(MPI_File_set_view(file_, program_.rank * bytes, MPI_INT, type, "native", MPI_INFO_NULL),
                  "MPI_File_set_view");
    MPI_Type_free(&own);
    MPI_Type_free(&type);
  }
  /// At the file pointer. `as_row`: of a derived type.
  void write(int call, bool as_row) {
    for (int i = 0; i < count; ++i) data_[static_cast<std::size_t>(i)] = number(call, i);
    MPI_Status status;
    program_.good(
        MPI_File_write_all(file_, data_.data(), as_row ? 1 : count, as_row ? row_ : MPI_INT, &status),
        "MPI_File_write_all");
    moved(status, {count, (call + 1) * count});
  }
  void read(int call, bool as_row) {
    if (call == 0) MPI_File_seek(file_, 0, MPI_SEEK_SET);
    std::fill(data_.begin(), data_.end(), -1);
    MPI_Status status;
    program_.good(
        MPI_File_read_all(file_, data_.data(), as_row ? 1 : count, as_row ? row_ : MPI_INT, &status),
        "MPI_File_read_all");
    moved(status, {count, (call + 1) * count});
    for (int i = 0; i < count; ++i)
      program_.equal(data_[static_cast<std::size_t>(i)], number(call, i), "a number");
  }
  /// Behind a rank's numbers are the next one's; behind the last one's the file ends, after half of these.
  void read_past_end() {
    MPI_Status status;
    const MPI_Offset begin = calls * count - count / 2;
    program_.good(MPI_File_read_at_all(file_, begin, data_.data(), count, MPI_INT, &status),
                  "MPI_File_read_at_all");
    moved(status, {program_.rank == program_.size - 1 ? count / 2 : count, calls * count});
  }
  /// More bytes from the begin of the file than 63 bits count.
  void write_far() {
    MPI_Status status;
    const MPI_Offset begin = MPI_Offset{1} << 61;
    const int code = MPI_File_write_at_all(file_, begin, data_.data(), count, MPI_INT, &status);
    program_.that(code != MPI_SUCCESS, "a write behind all files");
  }
  void settle_all() { settle(file_, MPI_COMM_WORLD); }
  [[nodiscard]] const std::string& path() const { return path_; }

  static constexpr int calls = 40;

 private:
  static constexpr int count = 100;
  [[nodiscard]] int number(int call, int i) const { return (program_.rank * calls + call) * count + i; }
  struct Moved {
    int numbers, position;
  };
  void moved(const MPI_Status& status, const Moved& expected) {
    int numbers = 0;
    MPI_Get_count(&status, MPI_INT, &numbers);
    program_.equal(numbers, expected.numbers, "numbers moved");
    MPI_Offset position = 0;
    MPI_File_get_position(file_, &position);
    program_.equal(position, expected.position, "file pointer");
  }

  Program& program_;
  std::string path_;
  std::vector<int> data_ = std::vector<int>(count);
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Datatype row_ = MPI_DATATYPE_NULL;
};

void at_the_pointer(Program& program) {
  Numbers file(program, "at_the_pointer");
  for (int i = 0; i < Numbers::calls; ++i) file.write(i, i % 3 == 1);
  file.settle_all();
  for (int i = 0; i < Numbers::calls; ++i) file.read(i, i % 3 == 1);
  file.read_past_end();
  file.write_far();
}

/// Where no rank's view has holes, nobody sieves: another's lock stops no write.
void no_lock(Program& program) {
  Numbers file(program, "no_lock");
  file.write(0, false);
  const HeldLock other(program, file.path());
  for (int i = 1; i < Numbers::calls; ++i) file.write(i, i % 3 == 1);
}

/// Where the last rank's view has some, all ranks' writes wait for a lock.
void lock_beside_sieves(Program& program) {
  Numbers file(program, "lock_beside_sieves");
  file.write(0, false);
  file.see(program.rank == program.size - 1);
  HeldLock other(program, file.path());
  std::thread ends([&] {
    usleep(200000);
    other.end();
  });
  const double begin = MPI_Wtime();
  file.write(0, false);
  program.that(MPI_Wtime() - begin > 0.1, "a write waits for the lock");
  ends.join();
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  at_the_pointer(program);
  no_lock(program);
  lock_beside_sieves(program);
  return program.finish();
}
