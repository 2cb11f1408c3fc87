// Ranks on which the engine cannot be loaded: files they open with others are the MPI library's on all, and
// nobody hangs. Files of ranks that have it are collio's. With --nothing: a rank without collio, for which
// the others wait, and say so. With --first: the first rank has none, and looks all the same whether a file
// is kept in subfiles.
#include <dlfcn.h>

#include <fstream>

#include "../mpi/pieces.hpp"

using namespace collio::test;

namespace {

int rank_from_launcher() {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return -1;
}

/// Where libraries lie that are preloaded without their neighbours.
std::string other_folder() {
  return (std::filesystem::temp_directory_path() / ("collio_test." + std::to_string(getppid()) + ".alone"))
      .string();
}

/// Where the loader finds a library of LD_PRELOAD.
std::filesystem::path place_of(const std::string& library) {
  const char* folders = std::getenv("LD_LIBRARY_PATH");
  std::istringstream in(folders && library.find('/') == std::string::npos ? folders : "");
  for (std::string folder; std::getline(in, folder, ':');)
    if (std::filesystem::exists(std::filesystem::path(folder) / library))
      return std::filesystem::path(folder) / library;
  return library;
}

/// The list of preloaded libraries, with collio's from a folder where no engine is, or without it.
std::string other_preload(const std::string& list, bool nothing) {
  std::string other;
  std::istringstream in(list);
  for (std::string one; std::getline(in, one, ':');) {
    if (one.find("libcollio_mpiio") != std::string::npos) {
      if (nothing) continue;
      const std::filesystem::path copy =
          std::filesystem::path(other_folder()) / ("libcollio_mpiio." + std::to_string(getpid()) + ".so");
      std::filesystem::create_directories(copy.parent_path());
      std::filesystem::copy_file(place_of(one), copy);
      one = copy.string();
    }
    other += (other.empty() ? "" : ":") + one;
  }
  return other;
}

/// Begins again under another LD_PRELOAD, on odd ranks or on even ones.
void become_another(char** argv, bool nothing, int which) {
  const char* preload = std::getenv("LD_PRELOAD");
  if (!preload || std::getenv("COLLIO_TEST_OTHER") || rank_from_launcher() % 2 != which) return;
  setenv("LD_PRELOAD", other_preload(preload, nothing).c_str(), 1);
  setenv("COLLIO_TEST_OTHER", "1", 1);
  execv("/proc/self/exe", argv);
  std::perror("execv");
}

std::string report_after_use(Program& program, const Reports& reports, MPI_Comm comm,
                             const std::string& path) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(comm, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  MPI_Datatype type = dealt_ints(rank, size, 3);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  const auto data = values(rank, 300);
  program.good(MPI_File_write_at_all(file, 0, data.data(), 300, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  settle(file, comm);
  std::vector<int> found(300, -1);
  program.good(MPI_File_read_at_all(file, 0, found.data(), 300, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
  program.that(found == data, "data");
  program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Barrier(comm);
  return rank == 0 ? reports.of(path) : "";
}

/// Ranks with an engine and without: the open of a file in subfiles fails on all.
void refuse_placeholder(Program& program, MPI_Comm comm, const std::string& name) {
  const std::string path = program.temporary(name),
                    text = "collio placeholder 1 0123456789abcdef\nfolder nothing.collio\n";
  if (program.rank == 0) std::ofstream(path) << text;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(comm, path.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  program.that(code != MPI_SUCCESS, ("a file in subfiles must not open: " + name).c_str());
  if (code == MPI_SUCCESS) MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  const bool nothing = argc > 1 && std::string(argv[1]) == "--nothing",
             first = argc > 1 && std::string(argv[1]) == "--first";
  become_another(argv, nothing, first ? 0 : 1);
  Program program(argc, argv, 50);
  if (!collio_is_on() && !nothing) return program.skip("collio is not preloaded");
  const bool other = std::getenv("COLLIO_TEST_OTHER") != nullptr;
  if (nothing) {
    const std::string name = program.temporary("waits");
    MPI_File file = MPI_FILE_NULL;
    MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    sleep(5);
    unlink(name.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const Reports reports(program);
  for (int i = 0; i < 2; ++i) {
    const std::string report = report_after_use(program, reports, MPI_COMM_WORLD, program.temporary("all"));
    program.that(report.empty(), "a file of all ranks is the library's");
  }
  MPI_Comm alike = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, other ? 1 : 0, program.rank, &alike);
  const std::string report =
      report_after_use(program, reports, alike, program.temporary(other ? "others" : "ours"));
  if (program.rank == (first ? 1 : 0))
    program.that(report.find("write_at_all") != std::string::npos,
                 "a file of ranks that have the engine is collio's");
  MPI_Comm_free(&alike);
  refuse_placeholder(program, MPI_COMM_WORLD, "of all ranks");
  refuse_placeholder(program, MPI_COMM_SELF, "of each rank");
  const int result = program.finish();
  if (program.rank == 0) std::filesystem::remove_all(other_folder());
  return result;
}
