"""Writes an array of records in three subfiles, and one of fixed size, with a sync after each record; rank 0
makes FOLDER/mark-N after sync N.

synced_arrays.py FILE FOLDER SUBFILES [SUBFILE_FOLDERS]; no subfiles: 0
"""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import collio

STEPS, SHAPE = 3, (6, 500)
ARRAYS = {
    "T": ((None, *SHAPE), "f8", ("time", "y", "x")),
    "time": ((None,), "f8", ("time",)),
    "flat": (SHAPE, "f4", ("y", "x")),
}

comm = MPI.COMM_WORLD
path, folder, subfiles = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
hints = {"collio_subfile_dirs": sys.argv[4]} if len(sys.argv) > 4 else {}
first, last = (SHAPE[0] * (comm.rank + i) // comm.size for i in (0, 1))
with collio.array.open(comm, path, "w", ARRAYS, hints=hints, subfiles=subfiles or None) as file:
    for step in range(STEPS):
        file.put("T", np.full((last - first, SHAPE[1]), step + 1.0), (first, 0), record=step)
        if comm.rank == 0:
            file.put("time", np.full(1, step + 1.0), record=step)
        if step == 0:
            file.put("flat", np.full((last - first, SHAPE[1]), 9, "f4"), (first, 0))
        file.commit()
        file.file.sync()
        if comm.rank == 0:
            (folder / f"mark-{step + 1}").touch()
        comm.Barrier()
if comm.rank == 0:
    (folder / f"mark-{STEPS + 1}").touch()
comm.Barrier()
