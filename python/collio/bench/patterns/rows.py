"""The driver's patterns. Made by tools/generate_patterns from bench/patterns/patterns.def: change
that file, then run make generate."""

from __future__ import annotations

from collio.bench.patterns.row import Choice, Flag, Number, Row, Size

ROWS = {
    "interleave": Row(
        "interleave",
        "Small pieces, alternating between the ranks.",
        (
            Number("pieces", 100000, 1, None, "Pieces of each rank."),
            Size("size", "32", "Bytes of a piece."),
            Flag("irregular", "Pieces of different sizes."),
            Size("min-size", "8", "Smallest irregular piece."),
            Size("max-size", "64", "Largest irregular piece."),
            Number("gap", 0, 0, None, "Longest hole after a piece, in bytes; lengths vary."),
            Number("seed", 1, 0, None, ""),
        ),
        lambda ranks, pieces, size, irregular, min_size, max_size, gap, seed: ranks * pieces * ((max_size if irregular else size) + gap),
    ),
    "e3sm": Row(
        "e3sm",
        "Variables of an atmosphere model's cubed-sphere grid.",
        (
        ),
        None,
    ),
    "contiguous": Row(
        "contiguous",
        "Large blocks, one rank after the other.",
        (
            Size("size", "4MiB", "Bytes of a block."),
            Number("pieces", 8, 1, None, "Blocks of each rank."),
            Flag("one-call", "All blocks in one collective call."),
        ),
        lambda ranks, size, pieces, one_call: ranks * size * pieces,
    ),
    "btio": Row(
        "btio",
        "NAS BT-IO: a cube of cells, blocks along its diagonals.",
        (
            Number("n", 102, 1, 4096, "Cells along an edge; the NAS classes A, B, C have 64, 102, 162."),
        ),
        lambda ranks, n: n**3 * 40,
    ),
    "s3d": Row(
        "s3d",
        "S3D-IO: variables of a block-decomposed grid, a call each.",
        (
            Number("nx", 80, 1, 4096, "Grid points along x."),
            Number("ny", 80, 1, 4096, "Grid points along y."),
            Number("nz", 80, 1, 4096, "Grid points along z."),
        ),
        lambda ranks, nx, ny, nz: nx * ny * nz * 128,
    ),
    "mpas": Row(
        "mpas",
        "Variables of an ocean model's hexagonal mesh.",
        (
        ),
        None,
    ),
    "ior": Row(
        "ior",
        "IOR: segments of a block of every rank, a call a transfer.",
        (
            Size("transfer", "256KiB", "Bytes of a call of each rank."),
            Size("block", "1MiB", "Bytes of each rank in a segment, a multiple of --transfer."),
            Number("segments", 4, 1, None, ""),
        ),
        lambda ranks, transfer, block, segments: ranks * block * segments,
    ),
    "tile": Row(
        "tile",
        "mpi-tile-io: tiles of a 2-D array, one a rank.",
        (
            Size("element-size", "256", "Bytes of an element; 256 and 1MiB are usual."),
            Number("tiles-x", None, 1, None, "Tiles in a row.  [default: as square as can be]"),
            Number("tile-x", None, 1, 65536, "Elements of a tile along x.  [default: what makes 4 MiB, square]"),
            Number("tile-y", None, 1, 65536, "Elements of a tile along y.  [default: what makes 4 MiB, square]"),
        ),
        lambda ranks, element_size, tiles_x, tile_x, tile_y: ranks * tile_x * tile_y * element_size,
    ),
    "flash": Row(
        "flash",
        "FLASH I/O: 24 variables, strided in memory, a call each.",
        (
            Choice("nxb", "8|16", "Cells along the edge of a block, guard cells not counted."),
            Number("blocks", 40, 1, 16384, "Blocks of each rank."),
        ),
        lambda ranks, nxb, blocks: ranks * int(nxb) ** 3 * blocks * 24 * 8,
    ),
    "gcrm": Row(
        "gcrm",
        "Variables of a cloud model's geodesic grid, a call each.",
        (
            Number("level", 6, 3, 12, "Halvings of the icosahedron: 10 * 4^level cells."),
            Number("blocks-level", 3, 0, 12, "The ranks share 10 * 4^N blocks of cells."),
            Number("layers", 26, 1, 1024, "Numbers in a row on each cell."),
        ),
        lambda ranks, level, blocks_level, layers: 38 * 10 * 4**level * layers * 4,
    ),
    "hacc": Row(
        "hacc",
        "HACC-IO: particles of 38 bytes, in one call or in nine.",
        (
            Number("particles", 100000, 1, 67108864, "Particles of each rank."),
            Choice("layout", "aos|soa|blocks", "Array of structures, or structure of arrays: a call for each variable."),
        ),
        lambda ranks, particles, layout: ranks * particles * 38,
    ),
    "collperf": Row(
        "collperf",
        "ROMIO's coll_perf: a block-distributed 3-D array, one call.",
        (
            Number("nz", 192, 1, 8192, "Numbers along z."),
            Number("ny", 192, 1, 8192, "Numbers along y."),
            Number("nx", 192, 1, 8192, "Numbers along x."),
        ),
        lambda ranks, nz, ny, nx: nz * ny * nx * 4,
    ),
    "lattice4d": Row(
        "lattice4d",
        "Lattice QCD: a 4-D block of sites of every rank, one call.",
        (
            Number("edge", 8, 1, 256, "Sites of a block along each of its four axes."),
            Size("site", "576", "Bytes of a site; 576 are four 3 x 3 matrices of complex doubles."),
        ),
        lambda ranks, edge, site: ranks * edge**4 * site,
    ),
    "wrf": Row(
        "wrf",
        "WRF-IO: variables of a weather model's grid, a call each.",
        (
            Number("ny", 130, 1, 4096, "Grid cells from south to north."),
            Number("nx", 190, 1, 4096, "Grid cells from west to east."),
        ),
        lambda ranks, ny, nx: (857 * ny * nx + 40 * nx + 39 * ny) * 4,
    ),
}
