"""Heat in a plane, two fields in every step of one file: mpiexec -n 4 python checkpoint.py heat.raw

restart.py reads the last step on another number of ranks. A job that ends at any point leaves the file of
before or the new one, whole.
"""

import os
import sys

import numpy as np
from mpi4py import MPI

import collio

ROWS, COLUMNS, STEPS = 64, 48, 5


def main(path):
    comm = MPI.COMM_WORLD
    first = ROWS * comm.rank // comm.size
    count = ROWS * (comm.rank + 1) // comm.size - first
    padded = np.zeros((count + 2, COLUMNS))  # a row of each neighbour around the rank's own
    padded[1:-1] = np.sin(np.arange(first, first + count))[:, None] + np.linspace(0, 1, COLUMNS)
    field_bytes = ROWS * COLUMNS * 8
    with collio.open(comm, f"{path}.unfinished", "w") as file:
        rows = collio.box((ROWS, COLUMNS), (first, 0), (count, COLUMNS))
        heat = file.variable("heat", "f8", rows, offset=0, record_stride=2 * field_bytes)
        change = file.variable("change", "f8", rows, offset=field_bytes, record_stride=2 * field_bytes)
        for step in range(STEPS):
            difference = diffuse(comm, padded)
            heat.put(padded[1:-1], record=step)  # a view without the neighbours' rows: nothing is copied
            change.put(difference, record=step)
            file.commit()
        file.sync()
    if comm.rank == 0:  # all of it is on the disk
        replace(path, f"{path}.unfinished")
    total = comm.allreduce(padded[1:-1].sum())
    if comm.rank == 0:
        print(f"{STEPS} steps written, sum {total:.6f}")


def replace(path, by):
    os.replace(by, path)
    folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    os.fsync(folder)  # the name, too
    os.close(folder)


def diffuse(comm, padded):
    above, below = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
    comm.Sendrecv(padded[1], above, recvbuf=padded[-1], source=below)
    comm.Sendrecv(padded[-2], below, recvbuf=padded[0], source=above)
    difference = 0.2 * (padded[:-2] + padded[2:] - 2 * padded[1:-1])
    padded[1:-1] += difference
    return difference


main(sys.argv[1])
