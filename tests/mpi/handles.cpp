// Handles come and go as the standard allows: types freed right after set_view, communicators freed right
// after open, many files open at once, files of sub-communicators, of reordered and duplicated ones;
// intercommunicators are refused.
#include "check.hpp"

using namespace collio::test;

namespace {

/// One round of writing and reading dealt ints on `comm`, checking the neighbour's data.
void exercise(Program& program, MPI_Comm comm, MPI_File file, int count) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Datatype type = dealt_ints(rank, size, 4);
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(4, MPI_INT, &etype);
  MPI_Type_commit(&etype);
  program.good(MPI_File_set_view(file, 16, etype, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&etype);
  MPI_Type_free(&type);
  const auto data = values(rank, 4 * count);
  MPI_Datatype memory = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 4, 4, MPI_INT, &memory);
  MPI_Type_commit(&memory);
  MPI_Status status;
  program.good(MPI_File_write_all(file, data.data(), 1, memory, &status), "MPI_File_write_all");
  int copies = -1;
  MPI_Get_count(&status, memory, &copies);
  program.equal(copies, 1, "MPI_Get_count");
  MPI_Type_free(&memory);
  settle(file, comm);
  std::vector<int> found(static_cast<std::size_t>(4 * count), -1);
  program.good(MPI_File_read_at_all(file, 0, found.data(), 4 * count, MPI_INT, &status),
               "MPI_File_read_at_all");
  program.that(found == data, "data read back");
}

void many_files(Program& program) {
  constexpr int n = 24;
  std::vector<MPI_File> files(n);
  std::vector<std::string> names;
  for (int i = 0; i < n; ++i) names.push_back(program.temporary("many." + std::to_string(i)));
  for (int i = 0; i < n; ++i)
    program.good(
        MPI_File_open(MPI_COMM_WORLD, names[static_cast<std::size_t>(i)].c_str(),
                      MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &files[static_cast<std::size_t>(i)]),
        "MPI_File_open");
  for (int i = n - 1; i >= 0; --i)
    exercise(program, MPI_COMM_WORLD, files[static_cast<std::size_t>(i)], 1 + i % 5);
  // Closed in an order of their own, with work between.
  for (int i = 0; i < n; i += 2)
    program.good(MPI_File_close(&files[static_cast<std::size_t>(i)]), "MPI_File_close");
  for (int i = 1; i < n; i += 2) exercise(program, MPI_COMM_WORLD, files[static_cast<std::size_t>(i)], 2);
  for (int i = 1; i < n; i += 2)
    program.good(MPI_File_close(&files[static_cast<std::size_t>(i)]), "MPI_File_close");
}

void freed_communicators(Program& program) {
  // Ranks in reverse order, in two groups, each with its own file; the communicator is gone before the file
  // is used.
  MPI_Comm part = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, program.rank % 2, -program.rank, &part);
  MPI_Comm_dup(part, &copy);
  const std::string path = program.path("part." + std::to_string(program.rank % 2));
  program.temporary("part.0");
  program.temporary("part.1");
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(copy, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  MPI_Comm_free(&copy);
  exercise(program, part, file, 50);
  MPI_Group mine, theirs;
  MPI_File_get_group(file, &theirs);
  MPI_Comm_group(part, &mine);
  int result = MPI_UNEQUAL;
  MPI_Group_compare(mine, theirs, &result);
  program.equal(result, MPI_IDENT, "group of the file");
  MPI_Group_free(&mine);
  MPI_Group_free(&theirs);
  program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Comm_free(&part);
}

void one_rank_each(Program& program) {
  const std::string path = program.temporary("self." + std::to_string(program.rank));
  MPI_File file = MPI_FILE_NULL;
  program.good(
      MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &file),
      "MPI_File_open");
  exercise(program, MPI_COMM_SELF, file, 10 * (program.rank + 1));
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void intercommunicator(Program& program) {
  if (program.size < 2) return;
  MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, program.rank % 2, program.rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - program.rank % 2, 5, &both);
  // Open MPI takes the error to the communicator's handler rather than to that of files.
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(both, program.temporary("never").c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                 MPI_INFO_NULL, &file);
  program.equal(program.same_error(code, "an intercommunicator must be refused"), MPI_ERR_COMM,
                "class of opening on an intercommunicator");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  many_files(program);
  freed_communicators(program);
  one_rank_each(program);
  intercommunicator(program);
  return program.finish();
}
