// Paths with colons, some of which name a driver to some libraries: with collio the same files come out as
// without it.
#include <iterator>

#include "pieces.hpp"

using namespace collio::test;

namespace {

using Folder = std::map<std::string, std::string>;  ///< name and content of its files

Folder content_of(const std::string& path) {
  Folder found;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    std::ifstream in(entry.path(), std::ios::binary);
    found[entry.path().filename().string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return found;
}

/// Ranks open `name` in a folder that has the files `before`, and write. What is there afterwards; "" has the
/// class of the error.
Folder written(Program& program, const std::string& name, const Folder& before, bool with_collio) {
  const std::string folder = program.path("folder");
  const std::filesystem::path home = std::filesystem::current_path();
  if (program.rank == 0) {
    std::filesystem::create_directory(folder);
    for (const auto& [file, text] : before) std::ofstream(folder + "/" + file) << text;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::filesystem::current_path(folder);
  MPI_Info info = make_info({{"collio_enable", with_collio ? "enable" : "disable"}});
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  MPI_Info_free(&info);
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  if (code == MPI_SUCCESS) {
    const std::vector<int> data = values(program.rank, 100);
    MPI_File_write_at_all(file, 400 * program.rank, data.data(), 100, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  std::filesystem::current_path(home);
  MPI_Barrier(MPI_COMM_WORLD);
  Folder found;
  if (program.rank == 0) {
    found = content_of(folder);
    std::filesystem::remove_all(folder);
  }
  found[""] = std::to_string(error_class);
  MPI_Barrier(MPI_COMM_WORLD);
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const std::string old(5000, 'o');
  for (const std::string name :
       {"plain", "a:b", "ufs:f", "UFS:f", "nfs:f", "testfs:f", "daos:f", "foo:f", "./ufs:f", "ufs:./a:b"})
    for (const Folder& before :
         {Folder{}, Folder{{"f", old}}, Folder{{name.substr(name.rfind('/') + 1), old}, {"f", old}}})
      program.that(written(program, name, before, true) == written(program, name, before, false),
                   ("files of " + name).c_str());
  return program.finish();
}
