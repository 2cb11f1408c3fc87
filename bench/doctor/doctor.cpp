// collio_doctor FOLDER: the job of `collio doctor`. Plain MPI-IO: writes interleaved blocks to a file in
// FOLDER with a collective call, reads them back with another, and prints one line for each rank,
// "collio-doctor " and a JSON object, from rank 0.
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "doctor/probes.hpp"
#include "json.hpp"
#include "storage/file_systems.hpp"

namespace collio::doctor {
namespace {

constexpr int block_bytes = 1000, blocks = 64, rank_bytes = block_bytes * blocks;
constexpr std::size_t line_bytes = 4096;

struct World {
  int rank = 0, size = 1;
};

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data());
  return all.substr(0, all.find('\n'));
}

std::string error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return text.data();
}

const char* kind_name(storage::FileSystem::Kind kind) {
  using Kind = storage::FileSystem::Kind;
  switch (kind) {
    case Kind::local:
      return "local";
    case Kind::memory:
      return "memory";
    case Kind::shared:
      return "shared";
    case Kind::unknown:
      break;
  }
  return "unknown";
}

bool is_folder(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

unsigned char content(int rank, int at) { return static_cast<unsigned char>(rank * 31 + at % 251); }

/// One open, one collective call on blocks that alternate by rank, one close. An MPI error code. Collective.
int move(const World& world, const std::string& path, int mode, std::vector<unsigned char>& bytes) {
  MPI_File file = MPI_FILE_NULL;
  MPI_Datatype blocks_of_rank = MPI_DATATYPE_NULL;
  int code = MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file);
  if (code != MPI_SUCCESS) return code;
  MPI_Type_vector(blocks, block_bytes, block_bytes * world.size, MPI_BYTE, &blocks_of_rank);
  MPI_Type_commit(&blocks_of_rank);
  code = MPI_File_set_view(file, MPI_Offset{block_bytes} * world.rank, MPI_BYTE, blocks_of_rank, "native",
                           MPI_INFO_NULL);
  MPI_Type_free(&blocks_of_rank);
  if (code == MPI_SUCCESS && (mode & MPI_MODE_WRONLY))
    code = MPI_File_write_at_all(file, 0, bytes.data(), rank_bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS && (mode & MPI_MODE_RDONLY))
    code = MPI_File_read_at_all(file, 0, bytes.data(), rank_bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  const int closed = MPI_File_close(&file);
  return code == MPI_SUCCESS ? closed : code;
}

/// What went wrong on this rank; empty: nothing. Collective.
std::string write_and_read(const World& world, const std::string& path) {
  std::vector<unsigned char> bytes(rank_bytes);
  for (int at = 0; at < rank_bytes; ++at) bytes[static_cast<std::size_t>(at)] = content(world.rank, at);
  int code = move(world, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, bytes);
  int worst = MPI_SUCCESS;
  MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (worst != MPI_SUCCESS) return code == MPI_SUCCESS ? "" : "writing: " + error_text(code);
  bytes.assign(bytes.size(), 0);
  code = move(world, path, MPI_MODE_RDONLY, bytes);
  if (code != MPI_SUCCESS) return "reading: " + error_text(code);
  for (int at = 0; at < rank_bytes; ++at)
    if (bytes[static_cast<std::size_t>(at)] != content(world.rank, at))
      return "reading: other bytes than were written";
  return "";
}

bool on_all(bool mine) {
  int one = mine ? 1 : 0, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

std::string facts(const World& world, const std::string& folder) {
  const bool sees_folder = is_folder(folder);
  const std::string preload = loaded_library("libcollio_mpiio.so");
  // Ranks with the preload would wait in MPI_File_open for what the others do not send.
  const bool tried = on_all(sees_folder) && (on_all(!preload.empty()) || on_all(preload.empty()));
  const std::string problem = tried ? write_and_read(world, folder + "/data") : "";
  const storage::FileSystem system =
      sees_folder ? storage::find_file_system(folder + "/data").system : storage::FileSystem{};
  return bench::text_of({{"rank", world.rank},
                         {"size", world.size},
                         {"host", host_name()},
                         {"cores", usable_cores()},
                         {"token", variable("COLLIO_DOCTOR")},
                         {"preload", preload},
                         {"engine", loaded_library("libcollio_engine_")},
                         {"mpi_version", library_version()},
                         {"shared_memory_bytes", free_shared_memory()},
                         {"io_uring_errno", try_io_uring()},
                         {"sees_folder", sees_folder},
                         {"tried", tried},
                         {"problem", problem.substr(0, 500)},
                         {"file_system", system.name},
                         {"kind", kind_name(system.kind)},
                         {"locks_errno", sees_folder ? try_locks(folder) : 0}});
}

/// Lines of all ranks, printed by rank 0. Collective.
void tell(const World& world, const std::string& text) {
  std::array<char, line_bytes> mine{};
  text.copy(mine.data(), mine.size() - 1);
  std::vector<char> all(world.rank == 0 ? mine.size() * static_cast<std::size_t>(world.size) : 0);
  MPI_Gather(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, all.data(), static_cast<int>(mine.size()),
             MPI_CHAR, 0, MPI_COMM_WORLD);
  for (std::size_t at = 0; at < all.size(); at += mine.size()) std::printf("collio-doctor %s\n", &all[at]);
  std::fflush(stdout);  // MPI_Finalize may never return
}

}  // namespace
}  // namespace collio::doctor

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  collio::doctor::World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  if (argc == 2)
    collio::doctor::tell(world, collio::doctor::facts(world, argv[1]));
  else if (world.rank == 0)
    std::fprintf(stderr, "collio_doctor FOLDER: the job of `collio doctor`\n");
  MPI_Finalize();
  return argc == 2 ? 0 : 2;
}
