// Files that collio keeps in subfiles, against ordinary files that the MPI library writes itself: the same
// random calls on both, sizes, other numbers of ranks, joining, deleting; and errors that say which subfile.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "check.hpp"
#include "open_with.hpp"

using namespace collio::test;
namespace fs = std::filesystem;

namespace {

const Pairs by_library{{"collio_enable", "disable"}};

/// All bytes, by each rank of `comm` alone through MPI.
std::string content(Program& program, const Pairs& hints, const std::string& path, MPI_Comm comm) {
  MPI_File file = MPI_FILE_NULL;
  MPI_Offset bytes = 0;
  program.good(open_with(hints, path, MPI_MODE_RDONLY, &file, comm), "MPI_File_open to read");
  if (file == MPI_FILE_NULL) return "cannot be opened";
  program.good(MPI_File_get_size(file, &bytes), "MPI_File_get_size");
  std::string text(static_cast<std::size_t>(bytes) + 5, '?');
  MPI_Status status;
  program.good(MPI_File_read_at_all(file, 0, text.data(), static_cast<int>(text.size()), MPI_BYTE, &status),
               "MPI_File_read_at_all");
  text.resize(static_cast<std::size_t>(status_bytes(status)));
  program.good(MPI_File_close(&file), "MPI_File_close after reading");
  return text;
}

/// One random call on a file in subfiles, and on the ordinary file what gives the same bytes by the library's
/// independent calls and the kernel. Open MPI 4.1's own collective writes may crash (fcoll vulcan), its
/// set_size fails on some ranks after a preallocate, and not every library has atomic mode.
class Change {
 public:
  Change(Program& program, int number)
      : program_(program), number_(number), random_(static_cast<unsigned>(number) * 7919u) {}

  /// `plain_path`: of the ordinary file; empty: `file` is in subfiles.
  void apply(MPI_File file, const std::string& plain_path) {
    const bool plain = !plain_path.empty();
    const int kind = number_ % 8, count = up_to(600), first = up_to(3000), other = up_to(20000);
    const auto data = values(program_.rank, count, number_ * 1000);
    const MPI_Offset at = first + 1000LL * program_.rank;  // in ints: apart from the other ranks'
    if (kind == 3)
      write_through_view(file, plain, first, data);
    else if ((kind == 4 || kind == 5) && plain)
      resize(plain_path, static_cast<std::uintmax_t>(4 * first + other), kind == 5);
    else if (kind == 4)
      program_.good(MPI_File_set_size(file, 4 * first + other), "set_size");
    else if (kind == 5)
      program_.good(MPI_File_preallocate(file, 4 * first + other), "preallocate");
    else
      write(file, plain ? 1 : kind, at, data);
    settle(file, MPI_COMM_WORLD);
  }

 private:
  int up_to(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }

  void resize(const std::string& path, std::uintmax_t bytes, bool only_grows) {
    if (program_.rank == 0 && !(only_grows && std::filesystem::file_size(path) >= bytes))
      std::filesystem::resize_file(path, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void write(MPI_File file, int kind, MPI_Offset at, const std::vector<int>& data) {
    const int count = static_cast<int>(data.size());
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    if (kind == 6) program_.good(MPI_File_set_atomicity(file, 1), "set_atomicity");
    if (kind == 0 || kind == 6)
      program_.good(MPI_File_write_at_all(file, at, data.data(), count, MPI_INT, &status), "write_at_all");
    if (kind == 1)
      program_.good(MPI_File_write_at(file, at, data.data(), count, MPI_INT, &status), "write_at");
    if (kind == 2)
      program_.good(MPI_File_iwrite_at(file, at, data.data(), count, MPI_INT, &request), "iwrite_at");
    if (kind == 7)
      program_.good(MPI_File_iwrite_at_all(file, at, data.data(), count, MPI_INT, &request), "iwrite_at_all");
    if (kind == 2 || kind == 7) program_.good(MPI_Wait(&request, &status), "MPI_Wait");
    program_.equal(status_bytes(status), 4LL * count, "bytes of a write");
    int atomic = 0;
    MPI_File_get_atomicity(file, &atomic);
    program_.equal(atomic, kind == 6 ? 1 : 0, "atomic mode");
    if (kind == 6) program_.good(MPI_File_set_atomicity(file, 0), "set_atomicity");
  }

  void write_through_view(MPI_File file, bool plain, int first, const std::vector<int>& data) {
    const int count = static_cast<int>(data.size());
    MPI_Datatype dealt = dealt_ints(program_.rank, program_.size, 1 + up_to(90));
    program_.good(MPI_File_set_view(file, 4 * first, MPI_INT, dealt, "native", MPI_INFO_NULL), "set_view");
    program_.good(plain ? MPI_File_write(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE)
                        : MPI_File_write_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                  "write_all");
    program_.good(MPI_File_write(file, data.data(), count / 2, MPI_INT, MPI_STATUS_IGNORE), "write");
    program_.good(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "set_view");
    MPI_Type_free(&dealt);
  }

  Program& program_;
  int number_;
  std::mt19937 random_;
};

void same_as_the_library(Program& program) {
  const std::string path = program.temporary("subfiles"), plain = program.temporary("plain");
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  MPI_File files[2];
  program.good(open_with(in_subfiles, path, mode, &files[0]), "MPI_File_open in subfiles");
  program.good(open_with(by_library, plain, mode, &files[1]), "MPI_File_open of the library");
  for (MPI_File file : files)
    program.good(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "set_view");
  for (int number = 0; number < 64; ++number) {
    MPI_Offset sizes[2], positions[2];
    std::vector<int> found[2];
    for (int i = 0; i < 2; ++i) {
      Change(program, number).apply(files[i], i == 1 ? plain : "");
      MPI_File_get_size(files[i], &sizes[i]);
      found[i].assign(900, -5);
      MPI_Status status;
      MPI_File_read_at(files[i], number * 100, found[i].data(), 900, MPI_INT, &status);
      found[i].push_back(status_bytes(status));
      program.good(MPI_File_seek(files[i], -3, MPI_SEEK_END), "MPI_File_seek");
      MPI_File_get_position(files[i], &positions[i]);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    program.equal(sizes[0], sizes[1], "size");
    if (sizes[1] % 4 == 0)  // libraries differ in how they count a part of an int
      program.equal(positions[0], positions[1], "three before the end");
    program.that(found[0] == found[1], ("what is read after call " + std::to_string(number)).c_str());
  }
  for (MPI_File& file : files) program.good(MPI_File_close(&file), "MPI_File_close");
  program.that(raw(path).starts_with("collio placeholder"), "a placeholder under the file's name");

  const std::string expected = raw(plain);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, program.rank % 2, 0, &half);
  program.that(content(program, {}, path, half) == expected, "the bytes, on fewer ranks and without hints");
  MPI_Comm_free(&half);
  MPI_File joining = MPI_FILE_NULL;
  program.good(open_with({{"collio_join", "close"}}, path, MPI_MODE_RDWR, &joining), "MPI_File_open to join");
  program.good(MPI_File_close(&joining), "MPI_File_close that joins");
  program.that(raw(path) == expected, "the joined file's bytes");
  program.that(!fs::exists(path + ".collio"), "no folder is left");
}

void append_and_delete(Program& program) {
  const std::string path = program.temporary("appended");
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with(in_subfiles, path, mode, &file), "MPI_File_open");
  const auto data = values(program.rank, 500);
  program.good(
      MPI_File_write_at_all(file, 2000LL * program.rank, data.data(), 500, MPI_INT, MPI_STATUS_IGNORE),
      "MPI_File_write_at_all");
  program.good(MPI_File_close(&file), "MPI_File_close");
  program.good(open_with({}, path, MPI_MODE_RDWR | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE, &file),
               "MPI_File_open to append");
  MPI_Offset position = -1;
  MPI_File_get_position(file, &position);
  program.equal(position, 2000LL * program.size, "where appending begins");
  program.good(MPI_File_get_position_shared(file, &position), "MPI_File_get_position_shared");
  program.equal(position, 2000LL * program.size, "where appending begins at the shared pointer");
  program.same_error(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "sample", MPI_INFO_NULL),
                     "another representation is refused");
  program.good(MPI_File_close(&file), "MPI_File_close that deletes");
  program.that(!fs::exists(path) && !fs::exists(path + ".collio"), "deleted with the subfiles");

  program.good(open_with(in_subfiles, path, mode, &file), "MPI_File_open");
  program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) program.good(MPI_File_delete(path.c_str(), MPI_INFO_NULL), "MPI_File_delete");
  MPI_Barrier(MPI_COMM_WORLD);
  program.that(!fs::exists(path) && !fs::exists(path + ".collio"), "MPI_File_delete takes the subfiles");
}

/// What is wrong is told on all ranks, and what is there stays.
void damage(Program& program) {
  const std::string path = program.temporary("damaged");
  MPI_File file = MPI_FILE_NULL;
  const Pairs nowhere{{"collio_subfiles", "2"}, {"collio_subfile_dirs", "/nonexistent/folder"}};
  int code = open_with(nowhere, path, MPI_MODE_CREATE | MPI_MODE_RDWR, &file);
  program.equal(program.same_error(code, "a folder that is not there"), MPI_ERR_NO_SUCH_FILE, "class");
  program.that(!fs::exists(path + ".collio"), "nothing is left of the attempt");

  program.good(open_with(in_subfiles, path, MPI_MODE_CREATE | MPI_MODE_RDWR, &file), "MPI_File_open");
  const auto data = values(program.rank, 1000);
  program.good(
      MPI_File_write_at_all(file, 4000LL * program.rank, data.data(), 1000, MPI_INT, MPI_STATUS_IGNORE),
      "MPI_File_write_at_all");
  program.good(MPI_File_close(&file), "MPI_File_close");
  program.same_error(open_with(by_library, path, MPI_MODE_RDONLY, &file), "the library must not see it");
  std::string lost;
  for (const auto& entry : fs::directory_iterator(path + ".collio"))
    if (entry.path().native().ends_with(".0001")) lost = entry.path().native();
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) fs::rename(lost, path + ".lost");
  MPI_Barrier(MPI_COMM_WORLD);
  code = open_with({}, path, MPI_MODE_RDONLY, &file);
  program.equal(program.same_error(code, "a subfile is missing"), MPI_ERR_NO_SUCH_FILE, "class");
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  program.that(std::string(text).find(lost) != std::string::npos, "the missing subfile's path");
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) {
    fs::rename(path + ".lost", lost);
    std::fstream(path + ".collio/manifest") << "X";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  code = open_with({}, path, MPI_MODE_RDONLY, &file);
  program.equal(program.same_error(code, "a damaged manifest"), MPI_ERR_BAD_FILE, "class");
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) fs::remove_all(path + ".collio");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  same_as_the_library(program);
  append_and_delete(program);
  damage(program);
  return program.finish();
}
