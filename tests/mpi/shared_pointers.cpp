// The shared file pointer: of the MPI library where it has the program's view, of collio's where it has not,
// and of files in subfiles. Ranks write in their order and in any order, read, seek, and set views.
#include <algorithm>
#include <climits>
#include <filesystem>
#include <map>

#include "check.hpp"
#include "open_with.hpp"

using namespace collio::test;

namespace {

constexpr int record = 4;   // ints of a record: rank, number, and two that follow from them
constexpr int records = 6;  // of each rank

struct Variant {
  const char* name;
  Pairs hints;
  bool nested;  // a view that collio keeps to itself
};

/// Every other five ints of the file, built in two steps.
MPI_Datatype nested_type() {
  MPI_Datatype plain = dealt_ints(0, 2, 5), type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, plain, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&plain);
  return type;
}

class Shared {
 public:
  Shared(Program& program, const Variant& variant) : program_(program), variant_(variant) {
    open(&file_, MPI_MODE_CREATE | MPI_MODE_RDWR, program_.temporary(variant.name));
    set_view();
  }
  Shared(const Shared&) = delete;

  /// Collio keeps the pointer. What follows is right then, and not with every MPI library's own.
  [[nodiscard]] bool by_collio() const {
    return collio_is_on() && (variant_.nested || !variant_.hints.empty());
  }

  void write_in_order() {
    const int mine = 3 * (program_.rank + 1);
    MPI_Status status;
    auto data = values(program_.rank, mine);
    program_.good(MPI_File_write_ordered(file_, data.data(), mine, MPI_INT, &status), "write_ordered");
    program_.equal(status_bytes(status), 4LL * mine, "bytes of an ordered write");
    at(sum_of(3));
    data = values(program_.rank, program_.rank % 2, 50);  // some ranks have nothing
    program_.good(MPI_File_write_ordered_begin(file_, data.data(), program_.rank % 2, MPI_INT),
                  "write_ordered_begin");
    program_.good(MPI_File_write_ordered_end(file_, data.data(), &status), "write_ordered_end");
    program_.equal(status_bytes(status), 4LL * (program_.rank % 2), "bytes of a split ordered write");
    at(sum_of(3) + program_.size / 2);
    settle(file_, MPI_COMM_WORLD);
    std::vector<int> expected;
    for (int rank = 0; rank < program_.size; ++rank) add(expected, values(rank, 3 * (rank + 1)));
    for (int rank = 0; rank < program_.size; ++rank) add(expected, values(rank, rank % 2, 50));
    program_.that(content(static_cast<int>(expected.size())) == expected, "ranks' data in their order");
  }

  void read_in_order() {
    seek(0, MPI_SEEK_SET);
    const int mine = 3 * (program_.rank + 1);
    MPI_Status status;
    std::vector<int> data(static_cast<std::size_t>(mine));
    program_.good(MPI_File_read_ordered(file_, data.data(), mine, MPI_INT, &status), "read_ordered");
    program_.that(data == values(program_.rank, mine), "data of an ordered read");
    data.assign(1, -1);
    program_.good(MPI_File_read_ordered_begin(file_, data.data(), program_.rank % 2, MPI_INT),
                  "read_ordered_begin");
    program_.good(MPI_File_read_ordered_end(file_, data.data(), &status), "read_ordered_end");
    if (program_.rank % 2 == 1)
      program_.that(data == values(program_.rank, 1, 50), "data of a split ordered read");
    at(sum_of(3) + program_.size / 2);
  }

  void write_in_any_order() {
    set_view();
    for (int number = 0; number < records; ++number) {
      const std::vector<int> data{program_.rank, number, 7 * program_.rank, 11 * number};
      MPI_Status status;
      if (number % 2 == 0) {
        program_.good(MPI_File_write_shared(file_, data.data(), record, MPI_INT, &status), "write_shared");
      } else {
        MPI_Request request = MPI_REQUEST_NULL;
        program_.good(MPI_File_iwrite_shared(file_, data.data(), record, MPI_INT, &request), "iwrite_shared");
        program_.good(MPI_Wait(&request, &status), "MPI_Wait");
      }
      program_.equal(status_bytes(status), 4LL * record, "bytes of a write at the shared pointer");
    }
    settle(file_, MPI_COMM_WORLD);
    at(records * record * program_.size);
    const auto all = content(records * record * program_.size);
    std::map<std::pair<int, int>, int> seen;
    for (std::size_t i = 0; i + record <= all.size(); i += record) count(seen, &all[i]);
    program_.equal(static_cast<long long>(seen.size()), records * program_.size, "different records");
  }

  void read_in_any_order() {
    seek(0, MPI_SEEK_SET);
    std::map<std::pair<int, int>, int> seen;
    for (int number = 0; number < records; ++number) {
      std::vector<int> data(record, -1);
      MPI_Status status;
      if (number % 2 == 0) {
        program_.good(MPI_File_read_shared(file_, data.data(), record, MPI_INT, &status), "read_shared");
      } else {
        MPI_Request request = MPI_REQUEST_NULL;
        program_.good(MPI_File_iread_shared(file_, data.data(), record, MPI_INT, &request), "iread_shared");
        program_.good(MPI_Wait(&request, &status), "MPI_Wait");
      }
      count(seen, data.data());
    }
    std::vector<int> times(static_cast<std::size_t>(program_.size * records));
    for (const auto& [which, n] : seen) {
      const int place = which.first * records + which.second;
      if (place >= 0 && place < program_.size * records) times[static_cast<std::size_t>(place)] = n;
    }
    MPI_Allreduce(MPI_IN_PLACE, times.data(), program_.size * records, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    program_.that(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }),
                  "each record was read once");
  }

  void seek_about() {
    const int all = records * record * program_.size;
    seek(all - 2, MPI_SEEK_SET);
    at(all - 2);
    seek(-6, MPI_SEEK_CUR);
    at(all - 8);
    if (by_collio()) {  // Open MPI 4.1 takes the end for one in bytes
      seek(-3, MPI_SEEK_END);
      at(all - 3);
    }
    program_.good(MPI_File_set_view(file_, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
                  "MPI_File_set_view");
    at(0);
    seek(all, MPI_SEEK_SET);
    set_view();
    at(0);
  }

  /// Two handles of one file have a pointer each.
  void open_twice() {
    MPI_File other = MPI_FILE_NULL;
    open(&other, MPI_MODE_RDWR, program_.path(variant_.name));
    seek(9, MPI_SEEK_SET);
    MPI_Offset found = -1;
    program_.good(MPI_File_get_position_shared(other, &found), "MPI_File_get_position_shared");
    program_.equal(found, 0, "shared file pointer of another handle");
    program_.good(MPI_File_close(&other), "MPI_File_close");
    at(9);
  }

  void refuse_wrong_seeks() {
    seek(9, MPI_SEEK_SET);
    program_.same_error(MPI_File_seek_shared(file_, -1, MPI_SEEK_SET), "a seek before the beginning");
    if (program_.size > 1)
      program_.same_error(MPI_File_seek_shared(file_, program_.rank, MPI_SEEK_SET), "seeks that differ");
    at(9);
  }

  void close() { program_.good(MPI_File_close(&file_), "MPI_File_close"); }

 private:
  void open(MPI_File* file, int mode, const std::string& path) {
    program_.good(open_with(variant_.hints, path, mode, file), "MPI_File_open");
  }

  void set_view() {
    MPI_Datatype type = variant_.nested ? nested_type() : dealt_ints(0, 2, 5);
    program_.good(MPI_File_set_view(file_, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
    MPI_Type_free(&type);
  }

  /// One after the other: others have not moved the pointer before this rank has looked.
  void at(MPI_Offset expected) {
    MPI_Offset found = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    program_.good(MPI_File_get_position_shared(file_, &found), "MPI_File_get_position_shared");
    program_.equal(found, expected, "shared file pointer");
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void seek(MPI_Offset offset, int whence) {
    program_.good(MPI_File_seek_shared(file_, offset, whence), "MPI_File_seek_shared");
  }

  std::vector<int> content(int ints) {
    std::vector<int> data(static_cast<std::size_t>(ints), -1);
    program_.good(MPI_File_read_at(file_, 0, data.data(), ints, MPI_INT, MPI_STATUS_IGNORE),
                  "MPI_File_read_at");
    return data;
  }

  [[nodiscard]] int sum_of(int each) const { return each * program_.size * (program_.size + 1) / 2; }

  static void add(std::vector<int>& all, const std::vector<int>& more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  /// Whole records alone have what follows from rank and number.
  static void count(std::map<std::pair<int, int>, int>& seen, const int* ints) {
    if (ints[2] == 7 * ints[0] && ints[3] == 11 * ints[1]) ++seen[{ints[0], ints[1]}];
  }

  Program& program_;
  const Variant& variant_;
  MPI_File file_ = MPI_FILE_NULL;
};

/// Bytes are added at the end.
void append(Program& program, const Variant& variant) {
  MPI_File file = MPI_FILE_NULL;
  const std::string path = program.temporary(std::string(variant.name) + ".append");
  for (int step = 0; step < 2; ++step) {
    program.good(open_with(variant.hints, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR | (step == 1 ? MPI_MODE_APPEND : 0), &file),
                 "MPI_File_open");
    const char mine = static_cast<char>('a' + 10 * step + program.rank);
    program.good(MPI_File_write_ordered(file, &mine, 1, MPI_CHAR, MPI_STATUS_IGNORE), "write_ordered");
    program.good(MPI_File_close(&file), "MPI_File_close");
  }
  std::string expected;
  for (int step = 0; step < 2; ++step)
    for (int rank = 0; rank < program.size; ++rank) expected += static_cast<char>('a' + 10 * step + rank);
  std::string found(expected.size(), '?');
  program.good(open_with(variant.hints, path, MPI_MODE_RDONLY, &file), "MPI_File_open");
  program.good(MPI_File_read_at_all(file, 0, found.data(), static_cast<int>(found.size()), MPI_CHAR,
                                    MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  program.good(MPI_File_close(&file), "MPI_File_close");
  program.that(found == expected, "what two opens have appended");
}

/// The file's name is as long as names may be. Its pointer has a file beside it.
[[maybe_unused]] void name_at_length(Program& program) {
  const std::size_t own = std::filesystem::path(program.path("")).filename().string().size();
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({}, program.temporary(std::string(NAME_MAX - own, 'n')),
                         MPI_MODE_CREATE | MPI_MODE_RDWR, &file),
               "MPI_File_open");
  MPI_Datatype type = nested_type();
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  program.good(MPI_File_write_shared(file, &program.rank, 1, MPI_INT, MPI_STATUS_IGNORE), "write_shared");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Offset position = 0;
  program.good(MPI_File_get_position_shared(file, &position), "MPI_File_get_position_shared");
  program.equal(position, program.size, "the shared file pointer");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Nothing of the pointers stays in the folder.
void check_leftovers(Program& program) {
  MPI_Barrier(MPI_COMM_WORLD);
  const std::filesystem::path folder = std::filesystem::path(program.path("")).parent_path();
  const std::string own = std::filesystem::path(program.path("")).filename().string();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    program.that(name.find(own) == std::string::npos || name.find("pointer.") == std::string::npos,
                 name.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  const std::vector<Variant> variants{{"plain", {}, false},
                                      {"nested", {}, true},
                                      {"subfiles", in_subfiles, false},
                                      {"subfiles.nested", in_subfiles, true}};
  const bool native = argc > 1;
  for (const Variant& variant : variants) {
    if (native && !variant.hints.empty()) continue;
    Shared shared(program, variant);
    shared.write_in_order();
    shared.read_in_order();
    shared.write_in_any_order();
    shared.read_in_any_order();
    shared.seek_about();
    if (shared.by_collio()) {
      shared.open_twice();  // ROMIO's two handles may have one pointer
      shared.refuse_wrong_seeks();
    }
    shared.close();
    if (!native) append(program, variant);
  }
#ifndef OPEN_MPI  // whose own file beside the data has a name that is too long then
  if (!native && program.size > 1 && collio_is_on()) name_at_length(program);
#endif
  check_leftovers(program);
  return program.finish();
}
