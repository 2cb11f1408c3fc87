// More files of one rank than collio has communicators of their own for: independent calls through a view
// that is costly to the MPI library.
#include "pieces.hpp"

using namespace collio::test;

namespace {

constexpr int files = 24, count = 600;

/// Single integers, ever further apart.
MPI_Datatype spread_ints() {
  std::vector<int> places;
  for (int i = 0; i < count; ++i) places.push_back(2 * i + i * i / 7);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(count, 1, places.data(), MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv, 50);
  MPI_Datatype type = spread_ints();
  std::vector<MPI_File> all(files);
  for (int i = 0; i < files; ++i) {
    const std::string& path = program.temporary(std::to_string(program.rank) + "." + std::to_string(i));
    program.good(
        MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &all[static_cast<std::size_t>(i)]),
        "MPI_File_open");
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto data = values(program.rank, count, 10 * static_cast<long long>(i));
    std::vector<int> found(count);
    program.good(MPI_File_set_view(all[i], 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
    program.good(MPI_File_write_at(all[i], 0, data.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_write_at");
    program.good(MPI_File_read_at(all[i], 0, found.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_read_at");
    program.that(found == data, "data");
  }
  for (MPI_File& file : all) program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Type_free(&type);
  return program.finish();
}
