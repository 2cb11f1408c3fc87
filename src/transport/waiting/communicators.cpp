// See communicators.hpp.
#include "transport/waiting/communicators.hpp"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "transport/waiting/collectives.hpp"
#include "transport/waiting/mpi_library.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::transport {

namespace {

[[noreturn]] void end_after_error(int code, const char* what) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::fprintf(stderr,
               "collio: %s failed in collio's own messages; the job ends, whatever error handlers the "
               "program set: %s\n",
               what, text);
  transport::end_job(MPI_COMM_WORLD, MPI_ERR_OTHER);
}

void end_job_as_handler(MPI_Comm*, int* code, ...) {
  const char* call = "MPI";  // MPICH names the function in the text of the error
  std::va_list more;
  va_start(more, code);
  if (is_open_mpi())
    if (const char* name = va_arg(more, const char*)) call = name;
  va_end(more);
  end_after_error(*code, call);
}

/// Before MPI-4 a duplicate has the hints of the original. What the program asserts of its own messages does
/// not hold for collio's, which are received from any rank, and with room to spare. Collective.
void withdraw_assertions(MPI_Comm comm) {
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Comm_get_info(comm, &hints);
  bool any = false;
  for (const char* key : {"mpi_assert_no_any_source", "mpi_assert_no_any_tag", "mpi_assert_exact_length",
                          "mpi_assert_allow_overtaking"}) {
    char value[8] = "";
    int found = 0;
    MPI_Info_get(hints, key, sizeof value - 1, value, &found);
    if (!found || std::strcmp(value, "true") != 0) continue;
    MPI_Info_set(hints, key, "false");
    any = true;
  }
  if (any) MPI_Comm_set_info(comm, hints);
  MPI_Info_free(&hints);
}

MPI_Comm made(int code, MPI_Comm comm) {
  if (code != MPI_SUCCESS) return MPI_COMM_NULL;
  if (comm != MPI_COMM_NULL) withdraw_assertions(comm);
  return comm;
}

}  // namespace

ErrorsReturn::ErrorsReturn(MPI_Comm comm) : comm_(comm) {
  MPI_Comm_get_errhandler(comm, &before_);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

ErrorsReturn::~ErrorsReturn() {
  MPI_Comm_set_errhandler(comm_, before_);
  if (before_ != MPI_ERRORS_ARE_FATAL && before_ != MPI_ERRORS_RETURN) MPI_Errhandler_free(&before_);
}

MPI_Comm duplicate(MPI_Comm comm) { return Duplicate(comm).finish(); }

Duplicate::Duplicate(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  // MPICH 4.0 makes no progress in a session of one.
  code_ = size == 1 ? MPI_Comm_dup(comm, &copy_) : MPI_Comm_idup(comm, &copy_, &request_);
}

MPI_Comm Duplicate::finish() {
  if (code_ == MPI_SUCCESS) wait_for(request_);
  return made(code_, copy_);
}

MPI_Comm split(MPI_Comm comm, int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  const int code = MPI_Comm_split(comm, color, key, &part);
  return made(code, part);
}

MPI_Comm of_ranks(MPI_Comm comm, const std::vector<int>& ranks) {
  MPI_Group all = MPI_GROUP_NULL, chosen = MPI_GROUP_NULL;
  MPI_Comm made_of = MPI_COMM_NULL;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &chosen);
  const int code = MPI_Comm_create_group(comm, chosen, 0, &made_of);
  MPI_Group_free(&chosen);
  MPI_Group_free(&all);
  return made(code, made_of);
}

void end_on_errors(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(end_job_as_handler, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);  // lives as long as the communicator
}

void must(int code, const char* call) {
  if (code != MPI_SUCCESS) end_after_error(code, call);
}

void end_job(MPI_Comm comm, int code) {
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  MPI_Abort(comm, code);
  std::abort();
}

}  // namespace collio::transport
