"""writes_records.py FILE: two records of two arrays in three subfiles, and of one array in the master."""

import sys

import numpy as np
from mpi4py import MPI

import collio

SHAPE = (4, 5)
ARRAYS = {
    "T": ((None, *SHAPE), "f8", ("time", "y", "x")),
    "n": ((None, *SHAPE), "i2", ("time", "y", "x")),
    "time": ((None,), "f4", ("time",)),
}

comm = MPI.COMM_WORLD
with collio.array.open(comm, sys.argv[1], "w", ARRAYS, subfiles=3) as file:
    for step in range(2):
        rows = np.arange(comm.rank, SHAPE[0], comm.size)
        cells = collio.map(SHAPE, (rows[:, None] * SHAPE[1] + np.arange(SHAPE[1])).reshape(-1))
        values = np.arange(20.0).reshape(SHAPE)[rows] + 100 * step
        file.put("T", values, decomposition=cells, record=step)
        file.put("n", values.astype("i2"), decomposition=cells, record=step)
        if comm.rank == 0:
            file.put("time", np.array(step, "f4"), record=step)
        file.commit(wait=True)
