// Opens files with hints, and looks at what is behind a name without MPI.
#pragma once

#include <mpi.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace collio::test {

using Pairs = std::vector<std::pair<const char*, const char*>>;
inline const Pairs in_subfiles{{"collio_subfiles", "3"}, {"collio_subfile_unit", "700"}};

inline int open_with(const Pairs& hints, const std::string& path, int mode, MPI_File* file,
                     MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const auto& [key, value] : hints) MPI_Info_set(info, key, value);
  const int code = MPI_File_open(comm, path.c_str(), mode, info, file);
  MPI_Info_free(&info);
  return code;
}

inline std::string raw(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return {};
  std::string bytes(static_cast<std::size_t>(in.tellg()), '\0');
  in.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

}  // namespace collio::test
