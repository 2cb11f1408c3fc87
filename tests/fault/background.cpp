// Nonblocking and split calls that fail: the error comes when they are completed, of one class on all ranks,
// on the file's error handler and no other. Afterwards the file works.

#include "dealt_file.hpp"

using namespace collio::test;

namespace {

constexpr int count = 20000;
int handled = 0;

void count_errors(MPI_File*, int*, ...) { ++handled; }

MPI_File open_counting(Program& program, const std::string& name, const DealtFile& how) {
  MPI_File file = open_dealt(program, name, how);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_create_errhandler(count_errors, &handler);
  MPI_File_set_errhandler(file, handler);
  MPI_Errhandler_free(&handler);
  handled = 0;
  return file;
}

void no_space(Program& program, const std::string& name, const char* path) {
  MPI_File file = open_counting(
      program, name,
      {.block = 16,
       .hints = {
           {"collio_path", path}, {"cb_nodes", std::to_string(program.size)}, {"cb_config_list", "*:*"}}});
  const auto data = values(program.rank, 3 * count);
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  limit_files(0);
  program.good(MPI_File_iwrite_all(file, data.data(), count, MPI_INT, &request),
               "MPI_File_iwrite_all says nothing of the file's errors");
  const int code = MPI_Wait(&request, &status);
  program.that(
      program.same_error(code, "a write past the limit must fail when it is completed") == MPI_ERR_NO_SPACE,
      "class of the error");
  program.equal(handled, 1, "calls of the file's error handler");
  program.that(request == MPI_REQUEST_NULL, "the request is completed all the same");
  program.good(MPI_File_write_all_begin(file, data.data() + count, count, MPI_INT),
               "MPI_File_write_all_begin");
  program.same_error(MPI_File_write_all_end(file, data.data() + count, &status),
                     "a split write past the limit must fail when it is ended");
  program.equal(handled, 2, "calls of the file's error handler");
  // A failed call between others: each has an error of its own.
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[3];
  MPI_Irecv(nullptr, 0, MPI_INT, program.rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_File_iwrite_at_all(file, 2 * count, data.data() + 2 * count, count, MPI_INT, &requests[1]);
  MPI_Isend(nullptr, 0, MPI_INT, program.rank, 1, MPI_COMM_WORLD, &requests[2]);
  program.equal(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS, "what MPI_Waitall returns");
  program.equal(statuses[0].MPI_ERROR, MPI_SUCCESS, "error of the receive");
  program.equal(statuses[2].MPI_ERROR, MPI_SUCCESS, "error of the send");
  program.same_error(statuses[1].MPI_ERROR, "error of the write");
  limit_files(RLIM_INFINITY);
  // The file works again.
  MPI_Barrier(MPI_COMM_WORLD);
  program.good(MPI_File_iwrite_at_all(file, 0, data.data(), 3 * count, MPI_INT, &request),
               "MPI_File_iwrite_at_all without the limit");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  program.equal(status_bytes(status), 12LL * count, "bytes written without the limit");
  std::vector<int> found(3 * count, -1);
  program.good(MPI_File_read_at_all(file, 0, found.data(), 3 * count, MPI_INT, &status),
               "MPI_File_read_at_all");
  program.that(found == data, "data after the failures");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void forbidden(Program& program, const std::string& name) {
  MPI_File file = open_counting(program, name, {.mode = MPI_MODE_RDONLY});
  std::vector<int> data(count);
  MPI_Request requests[2];
  int flag = 0, code = MPI_SUCCESS;
  program.good(MPI_File_iwrite_all(file, data.data(), count, MPI_INT, &requests[0]), "MPI_File_iwrite_all");
  while (!flag) code = MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  program.that(program.same_error(code, "a write to a file open for reading must fail") == MPI_ERR_READ_ONLY,
               "class of the error");
  program.equal(handled, 1, "calls of the file's error handler");
  // One rank's argument is wrong: an error for all.
  program.good(
      MPI_File_iread_at_all(file, 0, data.data(), program.rank == 0 ? -1 : count, MPI_INT, &requests[0]),
      "MPI_File_iread_at_all");
  program.good(MPI_File_iread_at_all(file, 0, data.data(), count, MPI_INT, &requests[1]),
               "MPI_File_iread_at_all");
  int index = -1;
  program.same_error(MPI_Wait(&requests[0], MPI_STATUS_IGNORE),
                     "a negative count of one rank must fail on all");
  program.good(MPI_Waitany(1, &requests[1], &index, MPI_STATUS_IGNORE), "the read behind the failed one");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void different_calls(Program& program, const std::string& name) {
  MPI_File file = open_counting(program, name, {});
  std::vector<int> data(count, 1);
  MPI_Request request = MPI_REQUEST_NULL;
  if (program.rank == 0)
    MPI_File_iwrite_at_all(file, 0, data.data(), count, MPI_INT, &request);
  else
    MPI_File_iread_at_all(file, 0, data.data(), count, MPI_INT, &request);
  const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (program.size > 1) program.same_error(code, "ranks that write while others read must fail");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const std::string name = program.temporary("background");
  for (const char* path : {"auto", "two_phase", "independent"}) no_space(program, name, path);
  forbidden(program, name);
  different_calls(program, name);
  return program.finish();
}
