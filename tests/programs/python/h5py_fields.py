"""h5py with parallel HDF5: columns in turns and blocks, by collective access.

Usage: h5py_fields.py write|read FILE. Ends with a code other than 0 when a value is wrong.
"""

import sys

import h5py
import numpy
from mpi4py import MPI

ROWS, WIDTH = 48, 20
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
PARTS = {"columns": numpy.s_[:, rank::ranks], "blocks": numpy.s_[:, rank * WIDTH : (rank + 1) * WIDTH]}


def values(number):
    return (number * 1e6 + rank * 1e4 + numpy.arange(ROWS * WIDTH)).reshape(ROWS, WIDTH)


def write(path):
    with h5py.File(path, "w", driver="mpio", comm=comm) as file:
        for number, (name, part) in enumerate(PARTS.items()):
            dataset = file.create_dataset(name, (ROWS, WIDTH * ranks), dtype="f8")
            with dataset.collective:
                dataset[part] = values(number)


def read(path):
    with h5py.File(path, "r", driver="mpio", comm=comm) as file:
        for number, (name, part) in enumerate(PARTS.items()):
            dataset = file[name]
            got = numpy.zeros((ROWS, WIDTH))
            with dataset.collective:
                dataset.read_direct(got, part)  # h5py's short way, dataset[part], reads independently
            if not numpy.array_equal(got, values(number)):
                print(f"rank {rank}: {name} is wrong", file=sys.stderr, flush=True)
                comm.Abort(1)


if sys.argv[1] == "write":
    write(sys.argv[2])
read(sys.argv[2])
