"""PnetCDF's module for Python: a field with records, and a row by nonblocking calls.

Usage: pnetcdf_fields.py write|read FILE. Ends with a code other than 0 when a value is wrong.
"""

import sys

import numpy
import pnetcdf
from mpi4py import MPI

STEPS, WIDTH = 3, 20
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
MINE = {"start": [rank * WIDTH], "count": [WIDTH]}


def record(step):
    return {"start": [step, rank * WIDTH], "count": [1, WIDTH]}


def values(step):
    return (step * 1e6 + rank * 1e4 + numpy.arange(WIDTH)).astype("f4")


def write(path):
    file = pnetcdf.File(path, "w", format="NETCDF3_64BIT_DATA", comm=comm)
    file.def_dim("time", -1)
    file.def_dim("column", WIDTH * ranks)
    field = file.def_var("field", pnetcdf.NC_FLOAT, ("time", "column"))
    row = file.def_var("row", pnetcdf.NC_FLOAT, ("column",))
    file.enddef()
    for step in range(STEPS):
        field.put_var_all(values(step), **record(step))
    own = values(STEPS)  # PnetCDF reads it until the wait
    file.wait_all(1, [row.iput_var(own, **MINE)])
    file.close()


def read(path):
    file = pnetcdf.File(path, "r", comm=comm)
    got = [numpy.zeros(WIDTH, "f4") for _ in range(STEPS + 1)]
    for step in range(STEPS):
        file.variables["field"].get_var_all(got[step], **record(step))
    file.wait_all(1, [file.variables["row"].iget_var(got[STEPS], **MINE)])
    file.close()
    if not all(numpy.array_equal(got[step], values(step)) for step in range(STEPS + 1)):
        print(f"rank {rank}: the field is wrong", file=sys.stderr, flush=True)
        comm.Abort(1)


if sys.argv[1] == "write":
    write(sys.argv[2])
read(sys.argv[2])
