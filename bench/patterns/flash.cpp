// The FLASH I/O checkpoint (Zingale, "FLASH I/O benchmark routine", 2001; Fryxell et al., ApJS 131, 2000): a
// code with adaptive mesh refinement writes 24 variables on its blocks of n x n x n cells, doubles.
//
// In memory a block has four guard cells on every side, and the variables of a cell lie together:
// [blocks][n + 8][n + 8][n + 8][24]. In the file the variables are separate and without guard cells:
// [24][all ranks' blocks][n][n][n]. So a variable's part of the file is contiguous on each rank while no two
// of its numbers are neighbours in memory (Ching et al., "Noncontiguous I/O accesses through MPI-IO", CCGrid
// 2003). Each variable is one collective call from a subarray of the rank's memory, with no view.
#include <array>

#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

constexpr std::int64_t double_bytes = sizeof(double);
constexpr std::int64_t variables = 24;
constexpr std::int64_t guard_cells = 4;  // on each side

struct Mesh {
  std::int64_t cells;   // along the edge of a block
  std::int64_t blocks;  // of each rank
};

class Flash final : public DensePattern {
 public:
  Flash(Mesh mesh, World world) : mesh_(mesh) {
    file_bytes_ = variables * world.size * mesh.blocks * block_cells() * double_bytes;
    const std::int64_t bytes = block_cells() * mesh.blocks * double_bytes;
    const Axis edge{edge_cells(), guard_cells, mesh.cells};
    for (std::int64_t variable = 0; variable < variables; ++variable) {
      const std::array<Axis, 5> part{Axis{mesh.blocks, 0, mesh.blocks}, edge, edge, edge,
                                     Axis{variables, variable, 1}};
      add_contiguous({(variable * world.size + world.rank) * bytes, bytes}).memory =
          keep(subarray_type(part, double_bytes));
    }
  }

  std::int64_t buffer_bytes() const override {
    return mesh_.blocks * edge_cells() * edge_cells() * edge_cells() * cell_bytes;
  }
  void own_pieces(const PieceSink& sink) const override {
    for (std::int64_t variable = 0; variable < variables; ++variable) {
      std::int64_t offset = calls_[static_cast<std::size_t>(variable)].displacement;
      each_cell([&](std::int64_t place) {
        sink({{offset, double_bytes}, place + variable * double_bytes});
        offset += double_bytes;
      });
    }
  }

 private:
  static constexpr std::int64_t cell_bytes = variables * double_bytes;

  [[nodiscard]] std::int64_t edge_cells() const { return mesh_.cells + 2 * guard_cells; }
  [[nodiscard]] std::int64_t block_cells() const { return mesh_.cells * mesh_.cells * mesh_.cells; }

  /// Where the rank's cells begin in its buffer, in the order of a variable in the file.
  template <class Visit>
  void each_cell(Visit visit) const {
    const std::int64_t edge = edge_cells();
    const std::int64_t last = guard_cells + mesh_.cells;
    for (std::int64_t block = 0; block < mesh_.blocks; ++block)
      for (std::int64_t z = guard_cells; z < last; ++z)
        for (std::int64_t y = guard_cells; y < last; ++y)
          for (std::int64_t x = guard_cells; x < last; ++x)
            visit((((block * edge + z) * edge + y) * edge + x) * cell_bytes);
  }

  Mesh mesh_;
};

}  // namespace

std::unique_ptr<Pattern> make_flash(Options& options, World world) {
  const std::int64_t cells = std::stoll(options.one_of("nxb", {"8", "16"}));
  const std::int64_t blocks = options.number("blocks", 40, {1, 1 << 14});
  return std::make_unique<Flash>(Mesh{.cells = cells, .blocks = blocks}, world);
}

}  // namespace collio::bench
