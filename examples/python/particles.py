"""Particles, as many on a rank as there are: mpiexec -n 4 python particles.py particles.aos particles.soa

The first file has one structure after the other, the second all x, then all y, then all numbers. Both come
from the same memory.
"""

import sys

import numpy as np
from mpi4py import MPI

import collio

PARTICLE = np.dtype([("x", "f8"), ("y", "f8"), ("number", "i4")])

comm = MPI.COMM_WORLD
random = np.random.default_rng(comm.rank)
particles = np.zeros(random.integers(0, 2000), PARTICLE)
before, total = comm.exscan(len(particles)) or 0, comm.allreduce(len(particles))
particles["x"], particles["y"] = random.random((2, len(particles)))
particles["number"] = before + np.arange(len(particles))
mine = collio.box(shape=[total], start=[before], count=[len(particles)])

with collio.open(comm, sys.argv[1], "w") as structures:
    structures.variable("particles", PARTICLE, mine).put(particles)
    structures.commit()

with collio.open(comm, sys.argv[2], "w") as arrays:
    offset = 0
    for name in PARTICLE.names:
        field = arrays.variable(name, PARTICLE[name], mine, offset)
        field.put(particles[name])  # every 20th byte of the memory: a view, no copy
        offset += total * PARTICLE[name].itemsize
    arrays.commit()  # all three in one collective call

# Each rank now reads particles in an order of its own, by their numbers.
wanted = np.arange(comm.rank, total, comm.size)[::-1]
chosen = np.zeros(len(wanted), PARTICLE)
with collio.open(comm, sys.argv[1]) as structures:
    structures.variable("particles", PARTICLE, collio.map([total], wanted)).get(chosen)
    structures.fetch()
assert np.array_equal(chosen["number"], wanted)
if comm.rank == 0:
    print(f"{total} particles in two files")
