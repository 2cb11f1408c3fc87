// Offsets and counts past 2 GiB. The files are sparse; the one large transfer runs only where memory allows.
#include <unistd.h>

#include <algorithm>

#include "check.hpp"

using namespace collio::test;

namespace {

constexpr MPI_Offset gib = MPI_Offset{1} << 30;

/// A displacement of 5 GiB and pieces that lie on both sides of 4 GiB boundaries.
void far_displacement(Program& program) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("far").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  MPI_Datatype type = dealt_ints(program.rank, program.size, 100);
  program.good(MPI_File_set_view(file, 5 * gib - 1000, MPI_INT, type, "native", MPI_INFO_NULL),
               "MPI_File_set_view");
  MPI_Type_free(&type);
  const auto data = values(program.rank, 1000);
  MPI_Status status;
  program.good(MPI_File_write_all(file, data.data(), 1000, MPI_INT, &status), "MPI_File_write_all at 5 GiB");
  settle(file, MPI_COMM_WORLD);
  MPI_Offset size = -1;
  program.good(MPI_File_get_size(file, &size), "MPI_File_get_size");
  program.equal(size, 5 * gib - 1000 + 4000LL * program.size, "size of the file");
  std::vector<int> found(1000);
  program.good(MPI_File_read_at_all(file, 0, found.data(), 1000, MPI_INT, &status),
               "MPI_File_read_at_all at 5 GiB");
  program.that(found == data, "data at 5 GiB");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// One view whose pieces are 3 GiB apart: offsets inside the file type need 64 bits.
void far_apart(Program& program) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("apart").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  const int lengths[3] = {1, 1, 1};
  const MPI_Aint at[3] = {256 * program.rank, 3 * gib + 256 * program.rank, 6 * gib + 256 * program.rank};
  MPI_Datatype type = MPI_DATATYPE_NULL, piece = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(64, MPI_INT, &piece);
  MPI_Type_create_hindexed(3, lengths, at, piece, &type);
  MPI_Type_commit(&type);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  MPI_Type_free(&piece);
  const auto data = values(program.rank, 192);
  MPI_Status status;
  program.good(MPI_File_write_all(file, data.data(), 192, MPI_INT, &status),
               "MPI_File_write_all 3 GiB apart");
  settle(file, MPI_COMM_WORLD);
  std::vector<int> found(192);
  program.good(MPI_File_read_at_all(file, 0, found.data(), 192, MPI_INT, &status),
               "MPI_File_read_at_all 3 GiB apart");
  program.that(found == data, "data 3 GiB apart");
  std::vector<int> direct(64);
  program.good(MPI_File_set_view(file, 6 * gib, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
               "MPI_File_set_view");
  program.good(MPI_File_read_at(file, 256LL * program.rank, direct.data(), 64, MPI_INT, &status),
               "MPI_File_read_at");
  program.that(direct == values(program.rank, 64, 128), "the same bytes through another view");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

[[nodiscard]] bool enough_memory(Program& program, MPI_Offset bytes) {
  const MPI_Offset available = static_cast<MPI_Offset>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  int enough = available > bytes ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!enough && program.rank == 0)
    program.left_out("too little free memory for a transfer past 2 GiB: " + std::to_string(available >> 20) +
                     " MiB");
  return enough != 0;
}

[[nodiscard]] bool enough_room(Program& program, MPI_Offset bytes) {
  const std::string folder = std::filesystem::path(program.path("huge")).parent_path();
  MPI_Offset available = static_cast<MPI_Offset>(std::filesystem::space(folder).available);
  MPI_Bcast(&available, 1, MPI_OFFSET, 0, MPI_COMM_WORLD);
  if (available <= bytes && program.rank == 0)
    program.left_out("too little room in " + folder +
                     " for a file past 2 GiB: " + std::to_string(available >> 20) + " MiB");
  return available > bytes;
}

/// Rank 0 writes more than 2^31 bytes in one call, as 4-byte elements; the others write a little behind it.
void past_2_gib(Program& program) {
  const MPI_Offset elements = (gib / 2) + 1000;  // of 4 bytes: 2 GiB + 4000 B
  if (!enough_memory(program, 8 * gib) || !enough_room(program, 3 * gib)) return;
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("huge").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  program.good(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "MPI_File_set_view");
  const MPI_Offset mine = program.rank == 0 ? elements : 10;
  std::vector<int> data(static_cast<std::size_t>(mine));
  for (MPI_Offset i = 0; i < mine; ++i) data[static_cast<std::size_t>(i)] = value(program.rank, i);
  const MPI_Offset at = program.rank == 0 ? 0 : elements + 10LL * program.rank;
  MPI_Status status;
  program.good(MPI_File_write_at_all(file, at, data.data(), static_cast<int>(mine), MPI_INT, &status),
               "MPI_File_write_at_all past 2 GiB");
  MPI_Count transferred = -1;
  MPI_Get_elements_x(&status, MPI_INT, &transferred);
  program.equal(transferred, mine, "elements written");
  settle(file, MPI_COMM_WORLD);
  std::fill(data.begin(), data.end(), -1);
  program.good(MPI_File_read_at_all(file, at, data.data(), static_cast<int>(mine), MPI_INT, &status),
               "MPI_File_read_at_all past 2 GiB");
  MPI_Offset wrong = 0;
  for (MPI_Offset i = 0; i < mine; ++i)
    wrong += data[static_cast<std::size_t>(i)] != value(program.rank, i) ? 1 : 0;
  program.equal(wrong, 0, "wrong elements");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 200);
  far_displacement(program);
  far_apart(program);
  const bool huge = argc > 1 && std::string(argv[1]) == "--huge";
  if (huge) past_2_gib(program);
  return program.finish();
}
