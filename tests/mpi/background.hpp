// What the tests of nonblocking and split calls share: files of ints dealt out to the ranks.
#pragma once

#include <fstream>

#include "check.hpp"

namespace collio::test {

constexpr int block = 16;   ///< ints in a row of one rank
constexpr int part = 4096;  ///< ints of a rank in one call

/// Opens a file whose view deals blocks out to the ranks of `comm`. Collective.
inline MPI_File open_dealt(Program& program, const std::string& name,
                           int mode = MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(comm, name.c_str(), mode, MPI_INFO_NULL, &file), "MPI_File_open");
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Datatype type = dealt_ints(rank, size, block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  return file;
}

/// The file holds `parts` parts of every rank: element i of rank r is value(r, i). Rank 0 reads it without
/// MPI. Collective.
inline void check_dealt(Program& program, const std::string& name, int parts, const char* what,
                        std::source_location where = std::source_location::current()) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) {
    const std::size_t mine = static_cast<std::size_t>(parts) * part;
    std::vector<int> found(mine * static_cast<std::size_t>(program.size) + 1, -1);
    std::ifstream in(name, std::ios::binary);
    in.read(reinterpret_cast<char*>(found.data()), static_cast<std::streamsize>(found.size() * sizeof(int)));
    program.equal(in.gcount(), static_cast<long long>((found.size() - 1) * sizeof(int)), "bytes in the file",
                  where);
    long long wrong = 0;
    for (std::size_t i = 0; i + 1 < found.size(); ++i) {
      const auto of_block = i / block;
      const int rank = static_cast<int>(of_block % static_cast<std::size_t>(program.size));
      const auto index = of_block / static_cast<std::size_t>(program.size) * block + i % block;
      wrong += found[i] != value(rank, static_cast<long long>(index));
    }
    program.equal(wrong, 0, what, where);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Every second int of a memory of 2 * count.
inline MPI_Datatype every_second_int() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type);
  MPI_Type_commit(&type);
  return type;
}

inline std::vector<int> spread_out(const std::vector<int>& data) {
  std::vector<int> wide(2 * data.size(), -7);
  for (std::size_t i = 0; i < data.size(); ++i) wide[2 * i] = data[i];
  return wide;
}

}  // namespace collio::test
