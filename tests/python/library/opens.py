"""Opens a new file without hints: opens.py FILE."""

import sys

from mpi4py import MPI

import collio

with collio.open(MPI.COMM_WORLD, sys.argv[1], "w"):
    pass
