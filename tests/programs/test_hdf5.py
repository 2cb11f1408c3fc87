"""Parallel HDF5 from C, on every MPI for which the system has it."""

from jobs import write_and_read_both_ways
from libraries import hdf5_compiler


def test_fields(jobs, compiled):
    program = compiled("c/hdf5_fields.c", hdf5_compiler(jobs.mpi))
    write_and_read_both_ways(jobs, [program])
