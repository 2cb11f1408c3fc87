"""Reads the last step of checkpoint.py's file on any number of ranks, by columns: mpiexec -n 3 python
restart.py heat.raw"""

import sys

import numpy as np
from mpi4py import MPI

import collio

ROWS, COLUMNS = 64, 48

comm = MPI.COMM_WORLD
field_bytes = ROWS * COLUMNS * 8
first = COLUMNS * comm.rank // comm.size
count = COLUMNS * (comm.rank + 1) // comm.size - first
heat_here = np.empty((count, ROWS)).T  # column-major, as this program wants it

with collio.open(comm, sys.argv[1], "r") as file:
    steps = file.size // (2 * field_bytes)
    columns = collio.box((ROWS, COLUMNS), (0, first), (ROWS, count))
    heat = file.variable("heat", "f8", columns, record_stride=2 * field_bytes)
    heat.get(heat_here, record=steps - 1)
    file.fetch()

total = comm.allreduce(heat_here.sum())
if comm.rank == 0:
    print(f"step {steps} of the file, sum {total:.6f}")
