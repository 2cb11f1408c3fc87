"""Direct calls: lists of pieces."""

import numpy as np
from common_checks import file_as, raises, same

import collio


def check_pieces_of_the_file(comm, folder):
    block = np.random.default_rng(comm.rank).integers(0, 256, 40 * 7, dtype="u1")
    order = np.random.default_rng(comm.rank).permutation(40)
    pieces = np.stack([(order * comm.size + comm.rank) * 7, np.full(40, 7)], axis=1)
    with collio.open(comm, folder / "a", "w") as file:
        file.write_pieces(pieces, block)
        back = np.zeros_like(block)
        file.read_pieces(pieces, back)
        same(back, block)
        request = file.read_pieces(pieces, back, wait=False)
        assert request.wait() == block.nbytes
    blocks = comm.allgather((order, block.reshape(40, 7)))
    found = file_as(comm, folder / "a", "u1", (40, comm.size, 7))
    for rank, (order, block) in enumerate(blocks):
        same(found[order, rank], block)


def check_pieces_of_memory(comm, folder):
    buffer = bytearray(range(100))
    with collio.open(comm, folder / "a", "w") as file:
        file.write_pieces([(10 * comm.rank, 10)], buffer, [(90, 4), (0, 6)])
        back = np.zeros((4, 10), "u2")
        if comm.rank == 0:
            file.read_pieces([(0, 5), (0, 5)], back, [(30, 7), (2, 3)])  # a byte may be read twice
        else:
            file.read_pieces([], bytearray())
    same(file_as(comm, folder / "a", "u1", (comm.size, 10))[comm.rank], [90, 91, 92, 93, 0, 1, 2, 3, 4, 5])
    if comm.rank == 0:
        flat = back.reshape(-1).view("u1")
        same(flat[30:37], [90, 91, 92, 93, 0, 90, 91])
        same(flat[2:5], [92, 93, 0])
        assert np.count_nonzero(flat) == 8


def check_a_byte_twice_is_not_written(comm, folder):
    with (
        collio.open(comm, folder / "a", "w") as file,
        raises(collio.ArgumentError, "twice" if comm.rank == 0 else ""),
    ):
        file.write_pieces([(0, 5), (4, 5)] if comm.rank == 0 else [], bytes(10 if comm.rank == 0 else 0))


def check_alone(comm, folder):
    with collio.open(comm, folder / "a", "w") as file:
        if comm.rank == comm.size - 1:
            assert file.write_alone([(4, 2), (0, 2)], b"abcd") == 4
            assert file.size == 6
            back = np.zeros(8, "S1")
            assert file.read_alone([(0, 8)], back) == 6
            same(back, [b"c", b"d", b"", b"", b"a", b"b", b"", b""])
        comm.Barrier()
