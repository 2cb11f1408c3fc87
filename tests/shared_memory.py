"""What tests need of /dev/shm, for machines on which it cannot be written to."""

import os

import pytest

WRITABLE = os.access("/dev/shm", os.W_OK)
NONE = "ranks of a node share memory where /dev/shm can be written to"
needed = pytest.mark.skipif(not WRITABLE, reason=NONE)


def needed_by_openmpi(mpi):
    """Where all ranks are on one node, Open MPI wants a semaphore there for the shared file pointer, and
    opens no file without."""
    if mpi.family == "openmpi" and not WRITABLE:
        pytest.skip(f"Open MPI opens no files without a semaphore; {NONE}")
