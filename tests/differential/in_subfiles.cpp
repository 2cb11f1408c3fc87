// See in_subfiles.hpp.
#include "in_subfiles.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "random.hpp"

namespace collio::differential {

namespace {

void need(int code) {
  if (code != MPI_SUCCESS) std::abort();
}

}  // namespace

void ask_for_subfiles(MPI_Info info, std::uint64_t seed) {
  Random random(mix(seed, 0x5f));
  const std::string count = std::to_string(random.small(1, 5));
  const std::string unit = std::to_string(random.chance(20) ? 1 << 20 : random.small(1, 300));
  MPI_Info_set(info, "collio_subfiles", count.c_str());
  MPI_Info_set(info, "collio_subfile_unit", unit.c_str());
  MPI_Info_set(info, "collio_join", random.chance(50) ? "close" : "never");
}

void fill_subfiles(const std::string& path, std::uint64_t seed, const std::vector<unsigned char>& bytes) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_File file = MPI_FILE_NULL;
  MPI_Info_create(&info);
  ask_for_subfiles(info, seed);
  MPI_Info_set(info, "collio_join", "never");
  need(MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_RDWR, info, &file));
  need(MPI_File_write_at(file, 0, bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  need(MPI_File_close(&file));
  MPI_Info_free(&info);
}

bool is_in_subfiles(const std::string& path) {
  constexpr const char* mark = "collio placeholder ";
  std::string begin(std::char_traits<char>::length(mark), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == mark;
}

std::string content_of(const std::string& path) {
  if (!is_in_subfiles(path)) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  MPI_File file = MPI_FILE_NULL;
  MPI_Offset bytes = 0;
  need(MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  need(MPI_File_get_size(file, &bytes));
  std::string found(static_cast<std::size_t>(bytes), '?');
  MPI_Status status;
  need(MPI_File_read_at(file, 0, found.data(), static_cast<int>(bytes), MPI_BYTE, &status));
  int got = 0;
  MPI_Get_elements(&status, MPI_BYTE, &got);
  found.resize(static_cast<std::size_t>(got));
  need(MPI_File_close(&file));
  return found;
}

}  // namespace collio::differential
