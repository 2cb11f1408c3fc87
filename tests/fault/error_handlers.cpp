// Error handlers of the program are the program: what they call goes through collio, and however they are
// left, by return, exception or longjmp, what comes next does too.
#include <csetjmp>
#include <stdexcept>

#include "../mpi/pieces.hpp"

using namespace collio::test;

namespace {

constexpr int count = 100;

enum class Leave { by_return, by_exception, by_jump };

/// What the handler does, and what it has seen.
struct Handled {
  Leave leave = Leave::by_return;
  MPI_File* close = nullptr;  ///< a file to close; null: none
  int times = 0;
  std::string text;
  std::jmp_buf back;
} handled;

void handle(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  handled.text = text;
  ++handled.times;
  if (handled.close) MPI_File_close(handled.close);
  handled.close = nullptr;
  if (handled.leave == Leave::by_exception) throw std::runtime_error("left by an exception");
  if (handled.leave == Leave::by_jump) std::longjmp(handled.back, 1);
}

void handle_file(MPI_File*, int* code, ...) { handle(*code); }
void handle_comm(MPI_Comm*, int* code, ...) { handle(*code); }

void give_handler(MPI_File file) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_create_errhandler(handle_file, &handler);
  MPI_File_set_errhandler(file, handler);
  MPI_Errhandler_free(&handler);
}

/// Calls `failing`, and comes back whichever way its handler leaves. -1: it did not return.
template <class Failing>
int outcome_of(Leave leave, Failing&& failing) {
  handled.leave = leave;
  handled.times = 0;
  handled.text.clear();
  if (setjmp(handled.back) != 0) return -1;
  try {
    return failing();
  } catch (const std::runtime_error&) {
    return -1;
  }
}

MPI_File open_file(Program& program, const std::string& path, int mode = MPI_MODE_CREATE | MPI_MODE_RDWR) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file), "MPI_File_open");
  return file;
}

/// collio does the calls on a file that is opened now: they are in the report.
void still_there(Program& program, const Reports& reports, const char* after) {
  static int number = 0;
  const std::string path = program.temporary("after." + std::to_string(number++));
  MPI_File file = open_file(program, path);
  const auto data = values(program.rank, count);
  program.good(
      MPI_File_write_at_all(file, 4LL * count * program.rank, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
      "MPI_File_write_at_all");
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) program.that(reports.of(path).find("write_at_all") != std::string::npos, after);
}

/// collio's own error, of a collective call. The handler closes another file of collio's.
void of_collio(Program& program, const Reports& reports, Leave leave) {
  const std::string path = program.temporary("read_only"), other_path = program.temporary("other");
  MPI_File made = open_file(program, path), other = open_file(program, other_path);
  MPI_File_close(&made);
  MPI_File file = open_file(program, path, MPI_MODE_RDONLY);
  give_handler(file);
  handled.close = &other;
  const auto data = values(program.rank, count);
  const int code = outcome_of(
      leave, [&] { return MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE); });
  program.equal(handled.times, 1, "calls of the handler");
  program.that(leave == Leave::by_return ? code != MPI_SUCCESS && code != -1 : code == -1,
               "the call is left as the handler was");
  program.that(handled.text.starts_with("collio: "), ("text in the handler: " + handled.text).c_str());
  program.that(other == MPI_FILE_NULL, "the handler closed the file");
  if (program.rank == 0) program.that(!reports.of(other_path).empty(), "collio closed the file too");
  still_there(program, reports, "after an error of collio's");
  std::vector<int> found(count);
  program.good(MPI_File_read_at_all(file, 0, found.data(), count, MPI_INT, MPI_STATUS_IGNORE),
               "the file afterwards");
  MPI_File_close(&file);
}

/// The handler closes the very file.
void closes_itself(Program& program, const Reports& reports, Leave leave) {
  const std::string path = program.temporary("itself");
  MPI_File made = open_file(program, path);
  MPI_File_close(&made);
  MPI_File file = open_file(program, path, MPI_MODE_RDONLY);
  give_handler(file);
  handled.close = &file;
  int wrong = 0;
  const int code = outcome_of(
      leave, [&] { return MPI_File_write_at_all(file, 0, &wrong, 1, MPI_INT, MPI_STATUS_IGNORE); });
  program.that(leave == Leave::by_return ? code != MPI_SUCCESS : code == -1,
               "the call is left as the handler was");
  program.equal(handled.times, 1, "calls of the handler");
  program.that(file == MPI_FILE_NULL, "the handler closed the file");
  still_there(program, reports, "after a handler that closed its file");
}

/// The MPI library's own error: collio's call made one of the library's.
void of_library(Program& program, const Reports& reports, Leave leave) {
  give_handler(MPI_FILE_NULL);
  MPI_File file = MPI_FILE_NULL;
  outcome_of(leave, [&] {
    return MPI_File_open(MPI_COMM_WORLD, program.path("missing").c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL,
                         &file);
  });
  program.that(handled.times > 0, "the handler was called");
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  still_there(program, reports, "after an error of the library's at open");
}

/// An error of the program's own, in a call that waits for a request of collio's too.
void of_request(Program& program, const Reports& reports, Leave leave) {
  const std::string path = program.temporary("request");
  MPI_File file = open_file(program, path);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handle_comm, &handler);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF})
    MPI_Comm_set_errhandler(comm, handler);  // libraries choose either
  MPI_Errhandler_free(&handler);
  const auto data = values(program.rank, count);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_File_iwrite_at_all(file, 4LL * count * program.rank, data.data(), count, MPI_INT, &request);
  outcome_of(leave, [&] { return MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE); });
  program.equal(handled.times, 1, "calls of the communicator's handler");
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF})
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  program.good(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  program.good(MPI_File_close(&file), "MPI_File_close");
  still_there(program, reports, "after an error of a request");
}

/// More handlers than collio has places for: they work all the same.
void many_handlers(Program& program) {
  MPI_File file = open_file(program, program.temporary("many"));
  for (int i = 0; i < 100; ++i) give_handler(file);
  int wrong = 0;
  outcome_of(Leave::by_return,
             [&] { return MPI_File_write_at_all(file, -1, &wrong, 1, MPI_INT, MPI_STATUS_IGNORE); });
  program.equal(handled.times, 1, "calls of the last handler");
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const Reports reports(program);
  for (const Leave leave : {Leave::by_return, Leave::by_exception, Leave::by_jump}) {
    of_collio(program, reports, leave);
    closes_itself(program, reports, leave);
    of_library(program, reports, leave);
    of_request(program, reports, leave);
  }
  many_handlers(program);
  return program.finish();
}
