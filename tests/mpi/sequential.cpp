// MPI_MODE_SEQUENTIAL on files in subfiles: data go where the shared file pointer is, views begin there, and
// all other calls are errors that change nothing.
#include <algorithm>

#include "check.hpp"
#include "open_with.hpp"

using namespace collio::test;

namespace {

constexpr int to_write = MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL;
constexpr int to_read = MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL;

MPI_File opened(Program& program, const std::string& path, int mode, const Pairs& hints = {}) {
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with(hints, path, mode, &file), "MPI_File_open");
  int found = 0;
  MPI_File_get_amode(file, &found);
  program.equal(found, mode, "access mode");
  return file;
}

/// All ints, without this mode.
std::vector<int> content(Program& program, const std::string& path) {
  MPI_File file = MPI_FILE_NULL;
  MPI_Offset bytes = 0;
  program.good(open_with({}, path, MPI_MODE_RDONLY, &file), "MPI_File_open");
  MPI_File_get_size(file, &bytes);
  std::vector<int> data(static_cast<std::size_t>(bytes / 4));
  program.good(
      MPI_File_read_at_all(file, 0, data.data(), static_cast<int>(data.size()), MPI_INT, MPI_STATUS_IGNORE),
      "MPI_File_read_at_all");
  program.good(MPI_File_close(&file), "MPI_File_close");
  return data;
}

/// Ranks in order, in all forms; then through a view of every other int, which begins behind these.
std::vector<int> write(Program& program, const std::string& path) {
  MPI_File file = opened(program, path, to_write, in_subfiles);
  const int mine = 100 + program.rank;
  program.good(MPI_File_write_ordered(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE), "write_ordered");
  const int next[2] = {200 + program.rank, 300 + program.rank};
  program.good(MPI_File_write_ordered_begin(file, next, 2, MPI_INT), "write_ordered_begin");
  program.good(MPI_File_write_ordered_end(file, next, MPI_STATUS_IGNORE), "write_ordered_end");
  for (int number = 0; number < 2; ++number) {
    const int one = 1000 * (number + 1) + program.rank;
    MPI_Request request = MPI_REQUEST_NULL;
    if (number == 0)
      program.good(MPI_File_write_shared(file, &one, 1, MPI_INT, MPI_STATUS_IGNORE), "write_shared");
    else
      program.good(MPI_File_iwrite_shared(file, &one, 1, MPI_INT, &request), "iwrite_shared");
    program.good(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  MPI_Datatype type = dealt_ints(0, 2, 1);
  program.good(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, type, "native", MPI_INFO_NULL),
               "MPI_File_set_view");
  MPI_Type_free(&type);
  MPI_Offset begin = -1;
  MPI_Datatype types[2];
  char representation[MPI_MAX_DATAREP_STRING] = "";
  program.good(MPI_File_get_view(file, &begin, &types[0], &types[1], representation), "MPI_File_get_view");
  MPI_Type_free(&types[1]);
  program.equal(begin, 4LL * 5 * program.size, "where the view begins");
  const int last = 400 + program.rank;
  program.good(MPI_File_write_ordered(file, &last, 1, MPI_INT, MPI_STATUS_IGNORE), "write_ordered in a view");
  program.good(MPI_File_close(&file), "MPI_File_close");

  std::vector<int> expected;
  for (int rank = 0; rank < program.size; ++rank) expected.push_back(100 + rank);
  for (int rank = 0; rank < program.size; ++rank)
    for (const int one : {200 + rank, 300 + rank}) expected.push_back(one);
  for (const int one : {1000, 2000})
    for (int rank = 0; rank < program.size; ++rank) expected.push_back(one + rank);
  for (int rank = 0; rank < program.size; ++rank) {
    if (rank > 0) expected.push_back(0);
    expected.push_back(400 + rank);
  }
  return expected;
}

void write_and_read(Program& program) {
  const std::string path = program.temporary("sequential");
  const std::vector<int> expected = write(program, path);
  program.that(raw(path).starts_with("collio placeholder"), "the file is kept in subfiles");
  std::vector<int> found = content(program, path);
  program.equal(static_cast<long long>(found.size()), static_cast<long long>(expected.size()), "ints");
  const auto shared = 3 * static_cast<std::ptrdiff_t>(program.size), behind = shared / 3 * 5;
  if (found.size() == expected.size()) std::sort(found.begin() + shared, found.begin() + behind);
  program.that(found == expected, "what was written");

  MPI_File file = opened(program, path, to_read);
  int mine = 0, two[2] = {0, 0};
  program.good(MPI_File_read_ordered(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE), "read_ordered");
  program.equal(mine, 100 + program.rank, "this rank's int");
  program.good(MPI_File_read_ordered_begin(file, two, 2, MPI_INT), "read_ordered_begin");
  program.good(MPI_File_read_ordered_end(file, two, MPI_STATUS_IGNORE), "read_ordered_end");
  program.that(two[0] == 200 + program.rank && two[1] == 300 + program.rank, "this rank's next two ints");
  int sum = 0;
  for (int number = 0; number < 2; ++number) {
    program.good(MPI_File_read_shared(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE), "read_shared");
    sum += mine;
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  program.equal(sum, 3000 * program.size + program.size * (program.size - 1), "all that ranks have shared");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void append(Program& program) {
  const std::string path = program.temporary("appended");
  for (const int begin : {10, 20}) {
    MPI_File file = opened(program, path, to_write | (begin == 20 ? MPI_MODE_APPEND : 0), in_subfiles);
    const int mine = begin + program.rank;
    program.good(MPI_File_write_ordered(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE), "write_ordered");
    program.good(MPI_File_close(&file), "MPI_File_close");
  }
  std::vector<int> expected;
  for (const int begin : {10, 20})
    for (int rank = 0; rank < program.size; ++rank) expected.push_back(begin + rank);
  program.that(content(program, path) == expected, "what two opens have appended");
}

void is_refused(Program& program, int code, const char* call) {
  program.equal(program.same_error(code, call), MPI_ERR_UNSUPPORTED_OPERATION, call);
}

void forbidden_calls(Program& program) {
  const std::string path = program.temporary("forbidden");
  MPI_File file = opened(program, path, to_write, in_subfiles);
  const int mine = program.rank;
  MPI_Offset offset = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status* const none = MPI_STATUS_IGNORE;
  program.good(MPI_File_write_ordered(file, &mine, 1, MPI_INT, none), "write_ordered");
  is_refused(program, MPI_File_write(file, &mine, 1, MPI_INT, none), "write");
  is_refused(program, MPI_File_write_at(file, 0, &mine, 1, MPI_INT, none), "write_at");
  is_refused(program, MPI_File_write_all(file, &mine, 1, MPI_INT, none), "write_all");
  is_refused(program, MPI_File_write_at_all(file, 0, &mine, 1, MPI_INT, none), "write_at_all");
  is_refused(program, MPI_File_iwrite(file, &mine, 1, MPI_INT, &request), "iwrite");
  is_refused(program, MPI_File_iwrite_at_all(file, 0, &mine, 1, MPI_INT, &request), "iwrite_at_all");
  is_refused(program, MPI_File_write_all_begin(file, &mine, 1, MPI_INT), "write_all_begin");
  is_refused(program, MPI_File_seek(file, 0, MPI_SEEK_SET), "seek");
  is_refused(program, MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "seek_shared");
  is_refused(program, MPI_File_get_position_shared(file, &offset), "get_position_shared");
  is_refused(program, MPI_File_get_byte_offset(file, 0, &offset), "get_byte_offset");
  is_refused(program, MPI_File_set_size(file, 0), "set_size");
  is_refused(program, MPI_File_preallocate(file, 100), "preallocate");
  program.equal(program.same_error(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
                                   "a view that begins elsewhere"),
                MPI_ERR_DISP, "class");
  program.good(MPI_File_write_ordered(file, &mine, 1, MPI_INT, none), "write_ordered");
  MPI_File other = MPI_FILE_NULL;
  program.good(open_with(in_subfiles, program.temporary("other"), MPI_MODE_CREATE | MPI_MODE_RDWR, &other),
               "MPI_File_open");
  program.good(MPI_File_write_at_all(other, 4 * program.rank, &mine, 1, MPI_INT, none),
               "another file's call");
  program.good(MPI_File_close(&other), "MPI_File_close");
  program.good(MPI_File_close(&file), "MPI_File_close");
  std::vector<int> expected;
  for (int rank = 0; rank < 2 * program.size; ++rank) expected.push_back(rank % program.size);
  program.that(content(program, path) == expected, "forbidden calls have changed nothing");
}

/// Of files that are not in subfiles.
void left_to_the_library(Program& program) {
  const std::string path = program.temporary("whole");
  MPI_File file = opened(program, path, to_write);
  const int mine = program.rank;
  program.good(MPI_File_write_ordered(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE), "write_ordered");
  program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Barrier(MPI_COMM_WORLD);
  program.equal(static_cast<long long>(raw(path).size()), 4LL * program.size, "bytes of an ordinary file");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  write_and_read(program);
  append(program);
  forbidden_calls(program);
  left_to_the_library(program);
  return program.finish();
}
