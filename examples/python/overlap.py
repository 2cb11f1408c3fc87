"""Computes a step while the one before is written: mpiexec -n 4 python overlap.py steps.raw

Two buffers take turns. A buffer is free again when the commit of its data is done.
"""

import sys
import time

import numpy as np
from mpi4py import MPI

import collio

STEPS, ELEMENTS = 8, 200_000


def compute(field, step):
    field[:] = np.sqrt(np.arange(ELEMENTS) + step)


def main(path):
    comm = MPI.COMM_WORLD
    buffers, requests = np.empty((2, ELEMENTS)), [None, None]
    # element by element in turns
    mine = collio.map([comm.size * ELEMENTS], np.arange(ELEMENTS) * comm.size + comm.rank)
    waited_s = 0.0
    with collio.open(comm, path, "w") as file:
        field = file.variable("field", "f8", mine, record_stride=comm.size * ELEMENTS * 8)
        for step in range(STEPS):
            turn = step % 2
            begun = time.perf_counter()
            if requests[turn]:
                requests[turn].wait()
            waited_s += time.perf_counter() - begun
            compute(buffers[turn], step)
            field.put(buffers[turn], record=step)
            requests[turn] = file.commit(wait=False)  # returns at once
    # Closing the file has waited for the last commits.
    slowest_s = comm.reduce(waited_s, MPI.MAX)
    if comm.rank == 0:
        print(
            f"{STEPS} steps, {STEPS * comm.size * ELEMENTS * 8 / 1e6:.0f} MB; the slowest rank waited "
            f"{slowest_s:.3f} s for buffers"
        )


main(sys.argv[1])
