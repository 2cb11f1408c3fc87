"""mpi4py: a plane of blocks, and pieces of changing length by explicit offsets.

Usage: mpi4py_fields.py write|read FILE. Ends with a code other than 0 when a value or a count is wrong.
"""

import array
import sys

from mpi4py import MPI

ROWS, WIDTH = 48, 20
PIECES = 600

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
BLOCKS = ROWS * WIDTH * ranks * 8


def values(plane, count):
    return array.array("d", (plane * 1e6 + rank * 1e4 + i for i in range(count)))


def block_view(file):
    block = MPI.DOUBLE.Create_subarray([ROWS, WIDTH * ranks], [ROWS, WIDTH], [0, WIDTH * rank]).Commit()
    file.Set_view(0, MPI.DOUBLE, block)
    return block


def piece_view(file):
    """Pieces of one to three doubles; rank r has the r-th of every group."""
    lengths = [1 + i % 3 for i in range(PIECES)]
    starts, at = [], 0
    for length in lengths:
        starts.append(at + length * rank)
        at += length * ranks
    pieces = MPI.DOUBLE.Create_indexed(lengths, starts).Commit()
    file.Set_view(BLOCKS, MPI.DOUBLE, pieces)
    return pieces, sum(lengths)


def expect(got, wanted, what):
    if got != wanted:
        print(f"rank {rank}: {what} is {str(got)[:80]}, not {str(wanted)[:80]}", file=sys.stderr, flush=True)
        comm.Abort(1)


def write(path):
    status = MPI.Status()
    file = MPI.File.Open(comm, path, MPI.MODE_CREATE | MPI.MODE_RDWR)
    block = block_view(file)
    file.Write_all(values(1, ROWS * WIDTH), status)
    expect(status.Get_count(MPI.DOUBLE), ROWS * WIDTH, "count written")
    expect(file.Get_position(), ROWS * WIDTH, "position")
    pieces, count = piece_view(file)
    file.Write_at_all(0, values(2, count), status)
    expect(status.Get_count(MPI.DOUBLE), count, "count of pieces written")
    file.Close()
    block.Free()
    pieces.Free()


def read(path):
    status = MPI.Status()
    file = MPI.File.Open(comm, path, MPI.MODE_RDONLY)
    block = block_view(file)
    got = array.array("d", bytes(8 * ROWS * WIDTH))
    file.Read_at_all(0, got, status)
    expect(status.Get_count(MPI.DOUBLE), ROWS * WIDTH, "count read")
    expect(got, values(1, ROWS * WIDTH), "block")
    pieces, count = piece_view(file)
    got = array.array("d", bytes(8 * count))
    file.Read_all(got, status)
    expect(status.Get_count(MPI.DOUBLE), count, "count of pieces read")
    expect(got, values(2, count), "pieces")
    file.Close()
    block.Free()
    pieces.Free()


if sys.argv[1] == "write":
    write(sys.argv[2])
read(sys.argv[2])
if rank == 0:
    print(MPI.Get_library_version().splitlines()[0], "mpi4py", sys.modules["mpi4py"].__version__)
