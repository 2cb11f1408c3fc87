// Copies from and to a device that fail, on one rank: all ranks get the error, and the next call works.
// argv[1]: the driver; argv[2]: how the driver names the error.
#include "memory.hpp"

using namespace collio::test;

namespace {

struct Failing {
  Program& program;
  const Driver& driver;
  const char* word;  ///< the driver's
  int rank;          ///< whose copies fail
};

/// All have MPI_ERR_IO, and the rank that failed says why.
void check(const Failing& f, int code, const char* call) {
  f.program.equal(f.program.same_error(code, call), MPI_ERR_IO, call);
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  const bool named = std::string(text).find(f.word) != std::string::npos &&
                     std::string(text).find("device memory") != std::string::npos;
  if (f.program.rank == f.rank)
    f.program.that(named, (std::string("the error is named, not: ") + text).c_str());
}

int split(MPI_File file, int* data) {
  const int code = MPI_File_write_all_begin(file, data, part, MPI_INT);
  return code != MPI_SUCCESS ? code : MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
}
int nonblocking(MPI_File file, int* data) {
  MPI_Request request;
  const int code = MPI_File_iwrite_all(file, data, part, MPI_INT, &request);
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// `first`: the copy of each call that fails; 1: the one that tries.
void calls(const Failing& f, MPI_File file, int first) {
  const Ints data(f.driver, Kind::device, values(f.program.rank, part));
  const auto fail = [&] {
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_Barrier(MPI_COMM_WORLD);
    f.driver.fail_from(f.program.rank == f.rank ? first : 0);
  };
  fail();
  check(f, MPI_File_write_all(file, data.data(), part, MPI_INT, MPI_STATUS_IGNORE), "MPI_File_write_all");
  fail();
  check(f, split(file, data.data()), "split write");
  fail();
  check(f, nonblocking(file, data.data()), "nonblocking write");
  fail();
  check(f, MPI_File_read_all(file, data.data(), part, MPI_INT, MPI_STATUS_IGNORE), "MPI_File_read_all");
  if (f.program.size == 1) return;  // independent calls are the MPI library's
  f.driver.fail_from(0);
  set_long_view(f.program, file);
  fail();
  const int code = MPI_File_read_at(file, 0, data.data(), part, MPI_INT, MPI_STATUS_IGNORE);
  f.program.equal(code != MPI_SUCCESS, f.program.rank == f.rank, "an independent read fails on one rank");
  set_dealt_view(f.program, file);
}

void round(const Failing& f, const char* path, int first) {
  const std::string& name = f.program.temporary(std::string("failing.") + path + std::to_string(first));
  MPI_File file = open_with(f.program, name, path);
  const Ints before(f.driver, Kind::device, values(f.program.rank, part)),
      found(f.driver, Kind::device, std::vector<int>(part, -7));
  f.driver.fail_from(0);
  f.program.good(MPI_File_write_all(file, before.data(), part, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_write_all");
  calls(f, file, first);
  f.driver.fail_from(0);
  if (first == 1) check_dealt(f.program, name, 1, "ints from before calls that fail before they begin");
  f.program.good(MPI_File_write_at_all(file, 0, before.data(), part, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_write_at_all");
  f.program.good(MPI_File_read_at_all(file, 0, found.data(), part, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_read_at_all");
  f.program.that(found.content() == before.content(), "ints behind a failure");
  f.program.good(MPI_File_close(&file), "MPI_File_close");
  check_dealt(f.program, name, 1, "ints that were written behind a failure");
  f.driver.forget();
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const Driver driver(argv[1]);
  driver.begin();
  const Failing failing{program, driver, argv[2], program.size - 1};
  for (const char* path : {"two_layer", "two_phase", "independent"})
    for (const int first : {1, 2}) round(failing, path, first);
  return program.finish();
}
