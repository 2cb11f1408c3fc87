"""Declared I/O against NumPy: decompositions, strides, records, requests."""

import gc

import numpy as np
from common_checks import file_as, numbers, raises, rows_of, same, whole
from mpi4py import MPI

import collio


def check_boxes_of_three_dimensions(comm, folder):
    for number, dtype in enumerate(("i1", "i2", "f4", ">f8", "c16", "S3", "M8[s]")):
        array = numbers((4, 2 * comm.size + 1, 5), "i8").astype(dtype)
        first, count = rows_of(comm, array.shape[1])
        with collio.open(comm, folder / f"{number}", "w") as file:
            cells = collio.box(array.shape, (0, first, 0), (4, count, 5))
            variable = file.variable("a", dtype, cells, offset=7)
            variable.put(array[:, first : first + count])
            assert file.commit(wait=False).wait() == 4 * count * 5 * array.dtype.itemsize
        found = np.frombuffer((comm.Barrier() or folder / f"{number}").read_bytes()[7:], dtype=array.dtype)
        same(found.reshape(array.shape), array)
        with collio.open(comm, folder / f"{number}") as file:
            back = np.zeros((4, count, 5), dtype)
            file.variable("a", dtype, cells, offset=7).get(back)
            file.fetch()
            same(back, array[:, first : first + count])


def check_views_of_arrays_are_not_copied(comm, folder):
    base = numbers((6, 8, 10), "f4", comm.rank)
    views = [
        base[::2, ::-1, 3:],
        base[::-1, ::-1, ::-1],
        base.T,
        base[:, 1::3, -1],
        base[1, 2, ::-2],
        base.reshape(-1)[5:60:11],
        np.broadcast_to(base[0, 0], (3, 10)),
        np.asfortranarray(base),
        base[2:2],
        base[0, 0, 0:1].reshape(()),
        base.transpose(1, 2, 0)[::-2, 4:1:-1],
    ]
    for number, view in enumerate(views):
        with collio.open(comm, folder / f"{number}", "w") as file:
            cells = collio.box((comm.size, max(1, view.size)), (comm.rank, 0), (1, view.size))
            file.variable("v", "f4", cells).put(view)
            file.commit(wait=True)
            if view.flags.writeable:
                other = np.zeros_like(base)
                target = other[::2, ::-1, 3:] if number == 0 else np.zeros(view.shape[::-1], "f4").T
                file.variable("w", "f4", cells).get(target)
                file.fetch()
                same(target, view)
                assert number or (np.all(other[:, :, :3] == 0) and np.all(other[1::2] == 0)), (
                    "elements around the view changed"
                )
        if view.size:
            same(file_as(comm, folder / f"{number}", "f4", (comm.size, -1))[comm.rank], view.reshape(-1))


def check_maps(comm, folder):
    shape = (7, 11)
    random = np.random.default_rng(5)
    owner = random.integers(0, comm.size, 77)
    mine = np.flatnonzero(owner == comm.rank)
    random = np.random.default_rng(comm.rank)
    random.shuffle(mine)
    indices = np.insert(mine, random.integers(0, len(mine) + 1, 5), -1)
    data = np.where(indices >= 0, indices * 3, -99).astype("i4")
    with collio.open(comm, folder / "map", "w") as file:
        variable = file.variable("m", "i4", collio.map(shape, indices))
        variable.put(data[::-1][::-1])
        file.commit(wait=True)
        back = np.full(len(indices), -7, "i4")
        variable.get(back)
        file.fetch()
        same(back, np.where(indices >= 0, indices * 3, -7))
    same(file_as(comm, folder / "map", "i4"), np.arange(77) * 3)


def check_indices_that_come_twice_are_read(comm, folder):
    array = numbers((5, 9), "u2")
    whole(comm, folder / "a", array)
    indices = np.random.default_rng(comm.rank).integers(-1, 45, (6, 20))
    with collio.open(comm, folder / "a") as file:
        back = np.zeros((6, 40), "u2")
        file.variable("a", "u2", collio.map((5, 9), indices)).get(back[:, ::2])
        file.fetch()
        same(back[:, ::2], np.where(indices >= 0, array.reshape(-1)[indices], 0))


def check_numbers_of_puts_differ(comm, folder):
    with collio.open(comm, folder / "a", "w") as file:
        cells = collio.box((comm.size, 3), (comm.rank, 0), (1, 3))
        variable = file.variable("a", "f8", cells, record_stride=comm.size * 24)
        for record in reversed(range(comm.rank)):
            variable.put(np.full(3, 10 * record + comm.rank, "f8"), record)
        file.commit(wait=True)
        assert not file.opened.putting
    if comm.size > 1:
        found = file_as(comm, folder / "a", "f8")
        found = np.append(found, np.zeros((comm.size - 1) * comm.size * 3 - found.size)).reshape(
            comm.size - 1, comm.size, 3
        )
        for record in range(comm.size - 1):
            same(
                found[record], [[10 * record + rank if rank > record else 0] * 3 for rank in range(comm.size)]
            )


def check_ranks_with_nothing(comm, folder):
    last = comm.rank == comm.size - 1
    with collio.open(comm, folder / "a", "w") as file:
        cells = collio.box((4, 4), (0, 0), (4, 4) if last else (0, 4))
        variable = file.variable("a", "f4", cells)
        variable.put(numbers((4, 4) if last else (0, 4), "f4"))
        assert file.commit(wait=False).wait() == (64 if last else 0)
        if last:  # the others have not even a put
            variable.put(numbers((4, 4), "f4", 1))
        file.commit(wait=True)
        file.commit(wait=True)
        file.fetch()
    same(file_as(comm, folder / "a", "f4", (4, 4)), numbers((4, 4), "f4", 1))


def check_overlapped_commits_and_steps(comm, folder):
    steps, n = 12, 500
    cells = collio.map((comm.size * n,), np.arange(n) * comm.size + comm.rank)
    expected = []
    with collio.open(comm, folder / "a", "w") as file:
        variables = [
            file.variable(name, "f8", cells, offset, record_stride=16 * comm.size * n)
            for name, offset in (("T", 0), ("U", 8 * comm.size * n))
        ]
        requests = []
        for step in range(steps):
            for number, variable in enumerate(variables):
                # collio alone keeps it
                variable.put(np.full(n, 100.0 * step + number + comm.rank / 10), record=step)
            gc.collect()
            requests.append(file.commit(wait=False))
            expected += [
                [100.0 * step + number + rank / 10 for rank in range(comm.size)] * n for number in range(2)
            ]
            if step % 3 == 2:
                assert requests[-2 if comm.rank % 2 else -1].wait() == 16 * n
        assert [request.wait() for request in requests] == [16 * n] * steps
        assert all(request.done() for request in requests)
        assert "done" in repr(requests[0]) and not requests[0].unheard
    same(file_as(comm, folder / "a", "f8", (2 * steps, -1)), expected)


def check_commits_nobody_waits_for(comm, folder):
    with collio.open(comm, folder / "a", "w") as file:
        variable = file.variable(
            "a", "i8", collio.box((comm.size,), (comm.rank,), (1,)), record_stride=8 * comm.size
        )
        for step in range(40):
            variable.put(np.array([step]), step)
            file.commit(wait=False)
    same(file_as(comm, folder / "a", "i8"), np.repeat(np.arange(40), comm.size))


def check_done_comes_true(comm, folder):
    with collio.open(comm, folder / "a", "w") as file:
        variable = file.variable("a", "i8", collio.box((comm.size,), (comm.rank,), (1,)))
        variable.put(np.array([comm.rank]))
        request = file.commit(wait=False)
        while not request.done():
            pass
        back = np.zeros(1, "i8")
        variable.get(back)
        request = file.fetch(wait=False)
        while not request.done():
            pass
        assert request.wait() == 8 and back[0] == comm.rank


def check_structures(comm, folder):
    kind = np.dtype([("x", "f8"), ("id", "i4"), ("tag", "S2")])
    particles = np.zeros(10 + comm.rank, kind)
    particles["x"], particles["id"], particles["tag"] = (
        np.arange(len(particles)) / 4 + comm.rank,
        comm.rank,
        b"ab",
    )
    before, total = comm.exscan(len(particles)) or 0, comm.allreduce(len(particles))
    cells = collio.box((total,), (before,), (len(particles),))
    with collio.open(comm, folder / "aos", "w") as one, collio.open(comm, folder / "soa", "w") as other:
        one.variable("p", kind, cells).put(particles)
        one.commit(wait=False)
        offset = 0
        for name in kind.names:
            other.variable(name, kind[name], cells, offset).put(particles[name])
            offset += total * kind[name].itemsize
        other.commit(wait=False)
    everything = np.concatenate(comm.allgather(particles))
    same(file_as(comm, folder / "aos", kind), everything)
    content = (folder / "soa").read_bytes()
    assert content == b"".join(np.ascontiguousarray(everything[name]).tobytes() for name in kind.names)


def check_cancel(comm, folder):
    with collio.open(comm, folder / "a", "w") as file:
        variable = file.variable("a", "i8", collio.box((comm.size,), (comm.rank,), (1,)))
        variable.put(np.array([-1]))
        file.cancel()
        variable.put(np.array([comm.rank]))
        file.commit(wait=False)
        variable.put(np.array([-1]))
        variable.get(np.zeros(1, "i8"))
        file.cancel()
    same(file_as(comm, folder / "a", "i8"), np.arange(comm.size))


def check_modes_and_sizes(comm, folder):
    path = folder / "a"
    with collio.open(comm, path, "x") as file:
        assert file.size == 0 and file.mode == "x" and not file.closed and str(path) in repr(file)
        file.truncate(100)
        assert file.size == 100
        file.sync()
    with raises(FileExistsError, str(path), "FILE_EXISTS"):
        collio.open(comm, path, "x")
    for mode, size in (("r", 100), ("r+", 100), ("a", 100), ("w", 0)):
        with collio.open(comm, path, mode) as file:
            assert file.size == size, mode
            comm.Barrier()
    with collio.open(comm, folder / "new", "a") as file:
        assert file.size == 0
    assert file.closed and "closed" in repr(file)
    file.close()


def check_communicators(comm, folder):
    with collio.open(
        comm.py2f(), folder / "handle", "w", hints={"cb_nodes": 1, "collio_path": "two_phase"}
    ) as file:
        file.variable("a", "i8", collio.box((comm.size,), (comm.rank,), (1,))).put(np.array([comm.rank]))
        file.commit(wait=False)
    same(file_as(comm, folder / "handle", "i8"), np.arange(comm.size))
    part = comm.Split(comm.rank % 2)
    for number in range(3):
        file = collio.open(part, folder / f"{comm.rank % 2}-{number}", "w")
        other = collio.open(part, folder / f"{comm.rank % 2}-{number}-other", "w")
        other.close()
        if number == 2:
            part.Free()
        file.close()
    with collio.open(MPI.COMM_SELF, folder / f"own-{comm.rank}", "w") as file:
        assert file.size == 0


def check_many_files(comm, folder):
    files = [collio.open(comm, folder / f"{number}", "w") for number in range(60)]
    for number, file in enumerate(files):
        file.variable("a", "i4", file.decomposition((comm.size,), box=((comm.rank,), (1,)))).put(
            np.array([number], "i4")
        )
        file.commit(wait=False)
    for file in files:
        file.close()
    for number in range(60):
        same(file_as(comm, folder / f"{number}", "i4"), [number] * comm.size)


def check_past_the_end_stays_as_it_was(comm, folder):
    whole(comm, folder / "a", numbers((5,), "i8"))
    with collio.open(comm, folder / "a") as file:
        back = np.full(8, -1)
        file.variable("a", "i8", collio.box((8,), (0,), (8,))).get(back)
        assert file.fetch(wait=False).wait() == 40
        same(back, [1, 2, 3, 4, 5, -1, -1, -1])
