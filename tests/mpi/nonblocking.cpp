// Nonblocking collective calls: true requests, in the order they were posted, next to whatever else the
// program does.
#include <algorithm>
#include <array>

#include "background.hpp"

using namespace collio::test;

namespace {

constexpr int parts = 3;

/// Several calls of one file outstanding, datatypes freed at once, file pointers that move when the call is
/// posted.
void several_outstanding(Program& program) {
  const std::string& name = program.temporary("several");
  MPI_File file = open_dealt(program, name);
  const auto wide = spread_out(values(program.rank, parts * part));
  std::array<MPI_Request, parts> requests{};
  std::array<MPI_Status, parts> statuses{};
  for (int i = 0; i < parts; ++i) {
    MPI_Datatype type = every_second_int();
    program.good(MPI_File_iwrite_all(file, wide.data() + 2 * i * part, part, type, &requests[i]),
                 "MPI_File_iwrite_all");
    MPI_Type_free(&type);
    program.that(requests[i] != MPI_REQUEST_NULL, "a request");
    MPI_Offset position = -1;
    program.good(MPI_File_get_position(file, &position), "MPI_File_get_position");
    program.equal(position, (i + 1) * part, "file pointer when the call was posted");
  }
  program.good(MPI_Waitall(parts, requests.data(), statuses.data()), "MPI_Waitall");
  for (const MPI_Status& status : statuses) program.equal(status_bytes(status), part * 4LL, "bytes written");
  for (const MPI_Request request : requests)
    program.that(request == MPI_REQUEST_NULL, "a request that was completed is null");
  check_dealt(program, name, parts, "ints of three nonblocking writes");

  std::vector<int> found(parts * part, -1);
  program.good(MPI_File_seek(file, part, MPI_SEEK_SET), "MPI_File_seek");
  program.good(MPI_File_iread_all(file, found.data() + part, part, MPI_INT, &requests[1]),
               "MPI_File_iread_all");
  program.good(MPI_File_iread_all(file, found.data() + 2 * part, part, MPI_INT, &requests[2]),
               "MPI_File_iread_all");
  program.good(MPI_File_iread_at_all(file, 0, found.data(), part, MPI_INT, &requests[0]),
               "MPI_File_iread_at_all");
  program.good(MPI_Waitall(parts, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  program.that(found == values(program.rank, parts * part), "data of three nonblocking reads");

  // Past the end: a short status.
  MPI_Status status;
  program.good(MPI_File_iread_at_all(file, parts * part - 10, found.data(), part, MPI_INT, &requests[0]),
               "MPI_File_iread_at_all");
  program.good(MPI_Wait(requests.data(), &status), "MPI_Wait");
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  program.that(count >= 0 && count <= 10, "a read past the end is short");
  program.good(MPI_File_iwrite_all(file, nullptr, 0, MPI_INT, requests.data()),
               "MPI_File_iwrite_all of nothing");
  program.good(MPI_Wait(requests.data(), &status), "MPI_Wait");
  program.equal(status_bytes(status), 0, "bytes of an empty call");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Two files, posted in different orders on different ranks: each file has an order of its own.
void two_files(Program& program) {
  const std::string first = program.temporary("first"), second = program.temporary("second");
  MPI_File files[2] = {open_dealt(program, first), open_dealt(program, second)};
  const auto data = values(program.rank, parts * part);
  MPI_Request requests[2 * parts];
  for (int i = 0; i < 2 * parts; ++i) {
    const int which = (i + program.rank) % 2, of_file = i / 2;
    program.good(MPI_File_iwrite_at_all(files[which], of_file * part, data.data() + of_file * part, part,
                                        MPI_INT, &requests[i]),
                 "MPI_File_iwrite_at_all");
  }
  // Completed in an order that differs too.
  std::reverse(std::begin(requests), std::end(requests));
  for (MPI_Request& request : requests) program.good(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  check_dealt(program, first, parts, "ints of the first file");
  check_dealt(program, second, parts, "ints of the second file");
  // One call under way on one file while a blocking one is done on the other, in either order.
  MPI_File_iwrite_at_all(files[0], 0, data.data(), part, MPI_INT, &requests[0]);
  if (program.rank % 2 == 0) program.good(MPI_Wait(requests, MPI_STATUS_IGNORE), "MPI_Wait");
  program.good(MPI_File_write_at_all(files[1], 0, data.data(), part, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  program.good(MPI_Wait(requests, MPI_STATUS_IGNORE), "MPI_Wait");
  for (MPI_File& file : files) program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Blocking collective calls come after what was posted before them; independent ones need not wait.
void among_other_calls(Program& program) {
  const std::string& name = program.temporary("among");
  MPI_File file = open_dealt(program, name);
  const auto data = values(program.rank, parts * part);
  const auto wrong = values(program.rank + 1, part);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  program.good(MPI_File_iwrite_all(file, wrong.data(), part, MPI_INT, &request), "MPI_File_iwrite_all");
  program.good(MPI_File_write_at_all(file, 0, data.data(), part, MPI_INT, &status),
               "MPI_File_write_at_all over a nonblocking write");
  program.equal(status_bytes(status), part * 4LL, "bytes of the blocking write");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  program.equal(status_bytes(status), part * 4LL, "bytes of the nonblocking write");

  program.good(MPI_File_iwrite_all(file, data.data() + part, part, MPI_INT, &request), "MPI_File_iwrite_all");
  program.good(MPI_File_write_at(file, 2 * part, data.data() + 2 * part, part, MPI_INT, &status),
               "MPI_File_write_at meanwhile");
  program.equal(status_bytes(status), part * 4LL, "bytes of the independent write");
  std::vector<int> found(part, -1);
  program.good(MPI_File_read_at(file, 2 * part, found.data(), part, MPI_INT, &status),
               "MPI_File_read_at meanwhile");
  program.that(std::equal(found.begin(), found.end(), data.begin() + 2 * part),
               "data of the independent read");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  check_dealt(program, name, parts, "ints of blocking, nonblocking and independent writes");

  // A nonblocking read, and a blocking write of the same place after it.
  program.good(MPI_File_iread_at_all(file, 0, found.data(), part, MPI_INT, &request),
               "MPI_File_iread_at_all");
  program.good(MPI_File_write_at_all(file, 0, wrong.data(), part, MPI_INT, &status), "MPI_File_write_at_all");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  program.that(std::equal(found.begin(), found.end(), data.begin()),
               "what was read before it was overwritten");

  // The view and the length may change when the call is posted: they wait for it.
  program.good(MPI_File_iwrite_at_all(file, 0, data.data(), part, MPI_INT, &request),
               "MPI_File_iwrite_at_all");
  program.good(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "MPI_File_set_view");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  check_dealt(program, name, parts, "ints written while the view was changed");
  program.good(MPI_File_iwrite_at_all(file, 4LL * part * program.size * parts + program.rank, data.data(), 1,
                                      MPI_BYTE, &request),
               "MPI_File_iwrite_at_all");
  program.good(MPI_File_set_size(file, 4LL * part * program.size * parts), "MPI_File_set_size");
  program.good(MPI_Wait(&request, &status), "MPI_Wait");
  check_dealt(program, name, parts, "ints after the file was cut");

  // Freed, not completed: the call is done all the same, at the latest when the file is closed.
  program.good(
      MPI_File_iwrite_at_all(file, 4LL * part * program.size * parts, data.data(), 0, MPI_BYTE, &request),
      "MPI_File_iwrite_at_all");
  program.good(MPI_Request_free(&request), "MPI_Request_free");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Every function that completes requests.
void every_way_to_wait(Program& program) {
  MPI_File file = open_dealt(program, program.temporary("ways"));
  const auto data = values(program.rank, part);
  std::array<MPI_Request, parts> requests{};
  std::array<MPI_Status, parts> statuses{};
  std::array<int, parts> indices{};
  MPI_Status status;
  int flag = 0, index = -1;
  const auto post = [&] {
    for (int i = 0; i < parts; ++i)
      MPI_File_iwrite_at_all(file, i * part, data.data(), part, MPI_INT, &requests[i]);
  };
  const auto bytes = [&](const MPI_Status& of, const char* what) {
    program.equal(status_bytes(of), part * 4LL, what);
  };

  post();
  for (flag = 0; !flag;)
    program.good(MPI_Request_get_status(requests[2], &flag, &status), "MPI_Request_get_status");
  bytes(status, "bytes told by MPI_Request_get_status");
  for (MPI_Request& request : requests) {
    for (flag = 0; !flag;) program.good(MPI_Test(&request, &flag, &status), "MPI_Test");
    bytes(status, "bytes told by MPI_Test");
  }
  post();
  for (flag = 0; !flag;)
    program.good(MPI_Testall(parts, requests.data(), &flag, statuses.data()), "MPI_Testall");
  for (const MPI_Status& one : statuses) bytes(one, "bytes told by MPI_Testall");
  post();
  for (int left = parts; left > 0; --left) {
    for (flag = 0; !flag;)
      program.good(MPI_Testany(parts, requests.data(), &index, &flag, &status), "MPI_Testany");
    bytes(status, "bytes told by MPI_Testany");
  }
  program.good(MPI_Testany(parts, requests.data(), &index, &flag, &status), "MPI_Testany");
  program.that(flag && index == MPI_UNDEFINED, "MPI_Testany of null requests");
  post();
  for (int left = parts; left > 0; --left) {
    program.good(MPI_Waitany(parts, requests.data(), &index, &status), "MPI_Waitany");
    bytes(status, "bytes told by MPI_Waitany");
    program.that(index >= 0 && requests[index] == MPI_REQUEST_NULL, "MPI_Waitany's request");
  }
  post();
  for (int left = parts, done = 0; left > 0; left -= done) {
    program.good(MPI_Waitsome(parts, requests.data(), &done, indices.data(), statuses.data()),
                 "MPI_Waitsome");
    program.that(done > 0, "requests that MPI_Waitsome completed");
    for (int k = 0; k < done; ++k) bytes(statuses[k], "bytes told by MPI_Waitsome");
  }
  post();
  for (int left = parts, done = 0; left > 0; left -= done) {
    program.good(MPI_Testsome(parts, requests.data(), &done, indices.data(), statuses.data()),
                 "MPI_Testsome");
    for (int k = 0; k < done; ++k) bytes(statuses[k], "bytes told by MPI_Testsome");
  }
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Messages and file calls complete together; a rank may depend on another's message before it posts its
/// part.
void with_messages(Program& program) {
  const std::string& name = program.temporary("messages");
  MPI_File file = open_dealt(program, name);
  const auto data = values(program.rank, parts * part);
  const int right = (program.rank + 1) % program.size,
            left = (program.rank + program.size - 1) % program.size;
  for (int i = 0; i < parts; ++i) {
    std::vector<int> token(20000, program.rank), got(20000, -1);  // too long to be sent ahead
    MPI_Request requests[3];
    MPI_Irecv(got.data(), 20000, MPI_INT, left, i, MPI_COMM_WORLD, &requests[0]);
    program.good(MPI_File_iwrite_all(file, data.data() + i * part, part, MPI_INT, &requests[1]),
                 "MPI_File_iwrite_all");
    MPI_Isend(token.data(), 20000, MPI_INT, right, i, MPI_COMM_WORLD, &requests[2]);
    MPI_Status statuses[3];
    program.good(MPI_Waitall(3, requests, statuses), "MPI_Waitall of messages and a file call");
    program.equal(status_bytes(statuses[1]), part * 4LL, "bytes written");
    program.equal(got[19999], left, "what the message said");
    program.equal(statuses[0].MPI_SOURCE, left, "source of the message");
  }
  check_dealt(program, name, parts, "ints written among messages");
  // Posting is local: rank 0's call is under way before the others have posted theirs.
  MPI_Request request = MPI_REQUEST_NULL;
  if (program.rank > 0) MPI_Recv(nullptr, 0, MPI_INT, program.rank - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  program.good(MPI_File_iwrite_at_all(file, 0, data.data(), part, MPI_INT, &request),
               "MPI_File_iwrite_at_all");
  if (program.rank + 1 < program.size) MPI_Send(nullptr, 0, MPI_INT, program.rank + 1, 9, MPI_COMM_WORLD);
  program.good(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// A rank that waits in the MPI library lets its part of a call go on where threads, or Open MPI, make that
/// possible.
void while_others_are_in_a_barrier(Program& program) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  if (provided != MPI_THREAD_MULTIPLE && std::string(version).find("Open MPI") == std::string::npos) return;
  MPI_File file = open_dealt(program, program.temporary("barrier"));
  const auto data = values(program.rank, part);
  MPI_Request request = MPI_REQUEST_NULL;
  program.good(MPI_File_iwrite_all(file, data.data(), part, MPI_INT, &request), "MPI_File_iwrite_all");
  if (program.rank % 2 == 0) MPI_Barrier(MPI_COMM_WORLD);
  program.good(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  if (program.rank % 2 != 0) MPI_Barrier(MPI_COMM_WORLD);
  program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  several_outstanding(program);
  two_files(program);
  among_other_calls(program);
  every_way_to_wait(program);
  with_messages(program);
  while_others_are_in_a_barrier(program);
  return program.finish();
}
