"""Writes a checkpoint of cells that ranks own alternating, each by its own call or, with `--together`, all by
one collective call. docs/tutorial.md finds out which is slow, and why."""

import sys
import time

import numpy as np
from mpi4py import MPI

CELL, CELLS, STEPS = 64, 20_000, 3  # bytes of a cell, cells of a rank, time steps


def main() -> None:
    world = MPI.COMM_WORLD
    together = "--together" in sys.argv
    state = np.full((CELLS, CELL), world.rank, np.uint8)
    file = MPI.File.Open(world, "checkpoint.raw", MPI.MODE_CREATE | MPI.MODE_WRONLY)
    step_bytes = world.size * CELLS * CELL
    mine = MPI.BYTE.Create_vector(CELLS, CELL, world.size * CELL).Commit()
    world.Barrier()
    begin = time.perf_counter()
    for step in range(STEPS):
        at = step * step_bytes + world.rank * CELL
        if together:
            file.Set_view(at, MPI.BYTE, mine)
            file.Write_all(state)
        else:
            for cell in range(CELLS):
                file.Write_at(at + cell * world.size * CELL, state[cell])
    file.Close()
    world.Barrier()
    if world.rank == 0:
        print(f"{STEPS} steps in {time.perf_counter() - begin:.2f} s")


if __name__ == "__main__":
    main()
