// A rank that has no memory for small things before ranks agree on a call: MPI_ERR_NO_MEM on all of them, and
// the file works afterwards. The program's malloc refuses one allocation of the engine's after the other,
// until the engine comes to its agreement.
#include <dlfcn.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "../mpi/in_front.hpp"
#include "../mpi/pieces.hpp"
#include "engine_code.hpp"

extern "C" void* __libc_malloc(std::size_t bytes);

namespace {

struct {
  collio::test::EngineCode code;
  int refuse = 0;  ///< number of its allocation to refuse, and all after it; 0: none
  int seen = 0, refused = 0;
} engine;

}  // namespace

extern "C" void* malloc(std::size_t bytes) {
  if (engine.refuse > 0 && engine.code.has(__builtin_return_address(0)) && ++engine.seen >= engine.refuse) {
    ++engine.refused;
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(bytes);
}

extern "C" int PMPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm, MPI_Request* request) {
  engine.refuse = 0;
  return COLLIO_BEHIND(PMPI_Iallreduce)(in, out, count, type, op, comm, request);
}

namespace {

using namespace collio::test;

/// Refuses one allocation after the other on the last rank; stops when there is none left to refuse. `call`
/// is collective.
template <class Call>
void refuse_each(Program& program, const char* what, Call&& call) {
  int errors = 0;
  for (int number = 1; number < 200; ++number) {
    engine.seen = engine.refused = 0;
    if (program.rank == program.size - 1) engine.refuse = number;
    const int code = call();
    engine.refuse = 0;
    int refused = engine.refused;
    MPI_Bcast(&refused, 1, MPI_INT, program.size - 1, MPI_COMM_WORLD);
    if (refused == 0) {
      program.good(code, what);
      program.that(errors > 0, (std::string(what) + ": memory was refused").c_str());
      return;
    }
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    program.equal(
        error_class, MPI_ERR_NO_MEM,
        (std::string("class of the error of ") + what + " without allocation " + std::to_string(number))
            .c_str());
    ++errors;
  }
  program.that(false, "the engine comes to its agreement");
}

/// A file in subfiles is never left to the MPI library, whatever memory the rank that looks has.
void open_in_subfiles(Program& program) {
  const std::string path = program.temporary("placeholder");
  if (program.rank == 0)
    std::ofstream(path) << "collio placeholder 1 0123456789abcdef\nfolder nothing.collio\n";
  MPI_Barrier(MPI_COMM_WORLD);
  int refused = 1;
  for (int number = 1; number < 200 && refused > 0; ++number) {
    MPI_File file = MPI_FILE_NULL;
    engine.seen = engine.refused = 0;
    engine.refuse = program.rank == 0 ? number : 0;
    const int code = MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    engine.refuse = 0;
    refused = engine.refused;
    MPI_Bcast(&refused, 1, MPI_INT, 0, MPI_COMM_WORLD);
    program.same_error(code, ("the open without allocation " + std::to_string(number)).c_str());
    if (code == MPI_SUCCESS) MPI_File_close(&file);
    program.that(number > 1 || refused > 0, "memory was refused");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 50);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("early").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  engine.code = collio::test::find_engine();
  program.that(engine.code.begin != 0, "the engine is there");
  const auto data = values(program.rank, 3000);
  const auto set_view = [&] {
    MPI_Datatype type = dealt_ints(program.rank, program.size, 3);
    const int code = MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL);
    MPI_Type_free(&type);
    return code;
  };
  refuse_each(program, "MPI_File_set_view", set_view);
  refuse_each(program, "MPI_File_write_at_all", [&] {
    MPI_Datatype memory = MPI_DATATYPE_NULL;
    MPI_Type_vector(1000, 2, 3, MPI_INT, &memory);  // not described before
    MPI_Type_commit(&memory);
    const int code = MPI_File_write_at_all(file, 0, data.data(), 1, memory, MPI_STATUS_IGNORE);
    MPI_Type_free(&memory);
    return code;
  });
  std::vector<int> found(3000, -1);
  program.good(MPI_File_write_at_all(file, 0, data.data(), 3000, MPI_INT, MPI_STATUS_IGNORE),
               "a write afterwards");
  settle(file, MPI_COMM_WORLD);
  refuse_each(program, "MPI_File_read_at_all",
              [&] { return MPI_File_read_at_all(file, 0, found.data(), 3000, MPI_INT, MPI_STATUS_IGNORE); });
  program.that(found == data, "data");
  MPI_File_close(&file);
  open_in_subfiles(program);
  return program.finish();
}
