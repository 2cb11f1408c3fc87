// The patterns of the driver. One line each.
#include "patterns/patterns.hpp"

#include <array>
#include <limits>

namespace collio::bench {

std::span<const PatternEntry> pattern_table() {
  static constexpr std::array table{
      PatternEntry{
          "interleave", "pieces of B bytes, ranks in turn, all over the file",
          "--size 32 --pieces 100000 [--irregular [--min-size 8] [--max-size 64]] [--gap 0] [--seed 1]",
          make_interleave},
      PatternEntry{"e3sm",
                   "variables of an atmosphere model's grid, decomposed by a map file, all in one call",
                   "--map-binary FILE [--element-size 4|8] [--variables K|K1,K2,...] [--decomposition NAME] "
                   "[--call-each]",
                   make_e3sm},
      PatternEntry{"contiguous", "large blocks, ranks in turn", "--size 4MiB --pieces 8 [--one-call]",
                   make_contiguous},
      PatternEntry{"btio", "a cube's blocks along its diagonals, as the NAS benchmark BT-IO has them",
                   "--n 102", make_btio},
      PatternEntry{"s3d", "four variables of a combustion solver on a block-decomposed grid, a call each",
                   "--nx 80 --ny 80 --nz 80", make_s3d},
      PatternEntry{"mpas",
                   "variables on the cells, edges and vertices of an ocean model's mesh, all in one call",
                   "--map-binary FILE [--element-size 8|4] [--variables K|K1,K2,K3] [--decomposition NAME] "
                   "[--call-each]",
                   make_mpas},
      PatternEntry{"ior", "segments of a block of every rank, written transfer by transfer, as IOR does",
                   "--transfer 256KiB --block 1MiB --segments 4", make_ior},
      PatternEntry{"tile", "tiles of a dense 2-D array, as mpi-tile-io has them",
                   "[--element-size 256] [--tiles-x N] [--tile-x 128] [--tile-y 128]", make_tile},
      PatternEntry{"flash", "24 variables of FLASH's blocks, strided in memory, a call each",
                   "[--nxb 8|16] --blocks 40", make_flash},
      PatternEntry{"gcrm", "38 variables of a cloud model's geodesic grid, a call each",
                   "[--level 6] [--blocks-level 3] [--layers 26]", make_gcrm},
      PatternEntry{"hacc", "particles of 38 bytes, as structures, as nine arrays, or as nine arrays a rank",
                   "--particles 100000 [--layout aos|soa|blocks]", make_hacc},
      PatternEntry{"collperf", "a block-distributed 3-D array, as ROMIO's coll_perf has it",
                   "--nz 192 --ny 192 --nx 192", make_collperf},
      PatternEntry{"wrf", "147 variables of a weather model on a block-decomposed grid, a call each",
                   "--ny 130 --nx 190", make_wrf},
  };
  return table;
}

Datatype subarray_type(std::span<const Axis> axes, std::int64_t element_bytes) {
  std::vector<int> sizes;
  std::vector<int> counts;
  std::vector<int> starts;
  for (const Axis& axis : axes) {
    sizes.push_back(static_cast<int>(axis.size));
    counts.push_back(static_cast<int>(axis.count));
    starts.push_back(static_cast<int>(axis.start));
  }
  MPI_Datatype element = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(element_bytes), MPI_BYTE, &element);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(static_cast<int>(axes.size()), sizes.data(), counts.data(), starts.data(),
                           MPI_ORDER_C, element, &type);
  MPI_Type_free(&element);
  return Datatype(type);
}

Datatype hindexed_filetype(std::span<const Extent> extents) {
  std::vector<int> lengths(extents.size());
  std::vector<MPI_Aint> places(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].length > std::numeric_limits<int>::max())
      throw UsageError("a piece of " + std::to_string(extents[i].length) + " bytes; allowed: below 2 GiB");
    lengths[i] = static_cast<int>(extents[i].length);
    places[i] = static_cast<MPI_Aint>(extents[i].offset);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (extents.empty())
    MPI_Type_contiguous(1, MPI_BYTE, &type);
  else
    MPI_Type_create_hindexed(static_cast<int>(extents.size()), lengths.data(), places.data(), MPI_BYTE,
                             &type);
  return Datatype(type);
}

}  // namespace collio::bench
