"""One array in an HDF5 or CDF-5 file, written and read by all ranks: mpiexec -n 4 python array_file.py
field.h5

The ending chooses the format: .h5 needs h5py, .nc needs netCDF4. Other programs read the file as any other of
its kind.
"""

import sys

import numpy as np
from mpi4py import MPI

import collio

comm = MPI.COMM_WORLD
shape, start = (10, 6 * comm.size), (0, 6 * comm.rank)
block = np.random.default_rng(comm.rank).random((10, 6))

collio.array.write(comm, sys.argv[1], "temperature", block, shape=shape, start=start, dimensions=("y", "x"))
again = collio.array.read(comm, sys.argv[1], "temperature", start=start, count=block.shape)

assert np.array_equal(again, block)
if comm.rank == 0:
    print(f"{shape[0]} x {shape[1]} numbers in {sys.argv[1]}")
