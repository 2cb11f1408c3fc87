"""Every rank writes its part of one array: mpiexec -n 4 python hello.py hello.raw"""

import sys

import numpy as np
from mpi4py import MPI

import collio

comm, path = MPI.COMM_WORLD, sys.argv[1]
ranks, rank = comm.size, comm.rank

with collio.open(comm, path, "w") as file:
    mine = collio.box(shape=(4, 3 * ranks), start=(0, 3 * rank), count=(4, 3))  # three columns of four rows
    field = file.variable("field", dtype="i4", decomposition=mine)
    field.put(np.full((4, 3), rank, dtype="i4"))
    file.commit()

comm.Barrier()
if rank == 0:
    print(np.fromfile(path, dtype="i4").reshape(4, 3 * ranks))
