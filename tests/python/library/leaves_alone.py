"""Rank 1 leaves by an exception while rank 0 computes; then rank 0 commits: leaves_alone.py FILE."""

import sys
import time

from mpi4py import MPI

import collio

with collio.open(MPI.COMM_WORLD, sys.argv[1], "w") as file:
    if MPI.COMM_WORLD.rank == 1:
        raise ValueError("wrong turn")
    time.sleep(3)
    file.commit(wait=True)
