// coll_perf, ROMIO's own test of collective I/O (romio/test/coll_perf.c): a 3-D array of ints, row-major,
// distributed in blocks over a grid of ranks (MPI_Dims_create), one collective call through a darray view. A
// block is as long as the array divided by the ranks along the axis, rounded up: the last ones may be
// shorter, or empty.
#include <algorithm>
#include <array>

#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

constexpr int number_bytes = sizeof(int);

/// The part of an axis in the MPI standard's block distribution with the default argument; may be empty.
[[nodiscard]] Axis distributed_part(std::int64_t size, Part part) {
  const std::int64_t most = (size + part.of - 1) / part.of;
  const std::int64_t start = std::min(part.index * most, size);
  return {size, start, std::min(most, size - start)};
}

[[nodiscard]] Datatype darray_type(const std::array<int, 3>& sizes, const std::array<int, 3>& grid,
                                   World world) {
  constexpr std::array distributions{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
  constexpr std::array arguments{MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG,
                                 MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Datatype number = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(number_bytes, MPI_BYTE, &number);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_darray(world.size, world.rank, 3, sizes.data(), distributions.data(), arguments.data(),
                         grid.data(), MPI_ORDER_C, number, &type);
  MPI_Type_free(&number);
  return Datatype(type);
}

class Collperf final : public DensePattern {
 public:
  Collperf(const std::array<int, 3>& sizes, const std::array<int, 3>& grid, World world) {
    file_bytes_ = std::int64_t{number_bytes} * sizes[0] * sizes[1] * sizes[2];
    const std::array<Axis, 3> block{distributed_part(sizes[0], {world.rank / (grid[1] * grid[2]), grid[0]}),
                                    distributed_part(sizes[1], {world.rank / grid[2] % grid[1], grid[1]}),
                                    distributed_part(sizes[2], {world.rank % grid[2], grid[2]})};
    const std::int64_t bytes = block_bytes(block, number_bytes);
    if (bytes > 0) append_block(block, number_bytes, 0, own_);
    Datatype filetype = bytes > 0 ? darray_type(sizes, grid, world) : hindexed_filetype({});
    calls_.push_back({.filetype = keep(std::move(filetype)), .bytes = bytes});
  }
};

}  // namespace

std::unique_ptr<Pattern> make_collperf(Options& options, World world) {
  std::array<int, 3> grid{};
  MPI_Dims_create(world.size, 3, grid.data());
  const auto size = [&](const char* name) { return static_cast<int>(options.number(name, 192, {1, 8192})); };
  const std::array<int, 3> sizes{size("nz"), size("ny"), size("nx")};
  return std::make_unique<Collperf>(sizes, grid, world);
}

}  // namespace collio::bench
