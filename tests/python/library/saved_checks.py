"""Decompositions that are saved and loaded: by as many ranks, by others, and from files that are none."""

import os

import numpy as np
from common_checks import file_as, raises, same
from mpi4py import MPI

import collio


def random_map(random, elements):
    """Any order, with holes, runs, and elements that come twice; sometimes nothing."""
    parts = [np.zeros(0, np.int64)]
    for _ in range(random.integers(0, 6)):
        kind, start, count = random.integers(0, 4), random.integers(0, elements), random.integers(1, 12)
        parts.append(
            [
                random.integers(-1, elements, count),
                np.minimum(start + np.arange(count), elements - 1),
                np.full(count, start),
                np.full(count, -1),
            ][kind]
        )
    return np.concatenate(parts)


def saved(comm, path, maps, shape):
    """Saves one map for each of the first ranks; a tuple is a box."""
    some = comm.Split(0 if comm.rank < len(maps) else 1)
    if comm.rank < len(maps):
        mine = maps[comm.rank]
        (collio.box(shape, *mine) if isinstance(mine, tuple) else collio.map(shape, mine)).save(some, path)
    some.Free()
    comm.Barrier()


def check_own_map_in_its_order(comm, folder):
    for case in range(6):
        random = np.random.default_rng([case, comm.rank])
        shape = ((5, 7), (60,), (3, 4, 5))[case % 3]
        mine = collio.map(shape, random_map(random, int(np.prod(shape))))
        mine.save(comm, folder / "a")
        back = collio.load(comm, folder / "a", shape=shape)
        same(back.indices(), mine.indices())
        assert (back.shape, back.elements) == (shape, mine.elements)


def check_boxes_and_maps_in_one_file(comm, folder):
    shape, rows = (4 * comm.size, 10, 1000), (4 * comm.rank, 0, 10)
    boxes = collio.box(shape, rows, (4, 9, 900))
    mine = boxes if comm.rank % 2 else collio.map(shape, boxes.indices())
    mine.save(comm, folder / "a")
    comm.Barrier()
    assert (folder / "a").stat().st_size <= 104 + 97 * comm.size
    back = collio.load(comm, folder / "a")
    same(back.indices(), boxes.indices())
    with collio.open(comm, folder / "data", "w") as file:
        file.variable("v", "i8", back).put(boxes.indices())
        file.commit(wait=True)
    found = file_as(comm, folder / "data", "i8")
    same(found[boxes.indices()], boxes.indices())


def lists(ranks):
    return [[7, 3, 3, -1], [], ((1, 2), (2, 3)), [47, 46, 45, 0, 1, 2, 9]][:ranks]


def joined(maps, shape):
    return np.concatenate(
        [
            collio.box(shape, *one).indices() if isinstance(one, tuple) else np.array(one, np.int64)
            for one in maps
        ]
    )


def check_other_numbers_of_ranks(comm, folder):
    shape = (6, 8)
    for ranks in range(1, comm.size + 1):
        maps = lists(ranks)
        saved(comm, folder / "a", maps, shape)
        if len(maps) != comm.size:
            with raises(
                ValueError,
                f"saved by {ranks} ranks and is loaded by {comm.size}",
                "COLLIO_DEAL_SHARES",
                str(folder / "a"),
            ):
                collio.load(comm, folder / "a")
        whole = joined(maps, shape)
        for deal in ("shares", "maps"):
            mine = collio.load(comm, folder / "a", deal=deal).indices()
            same(np.concatenate(comm.allgather(mine)), whole)
            if len(maps) == comm.size:
                same(mine, joined(maps[comm.rank : comm.rank + 1], shape))
            elif deal == "shares":
                assert (
                    len(mine)
                    == len(whole) * (comm.rank + 1) // comm.size - len(whole) * comm.rank // comm.size
                )
            else:
                same(
                    mine,
                    joined(
                        [[], *maps[ranks * comm.rank // comm.size : ranks * (comm.rank + 1) // comm.size]],
                        shape,
                    ),
                )


def check_fewer_ranks_than_saved(comm, folder):
    shape = (6, 8)
    maps = lists(comm.size)
    saved(comm, folder / "a", maps, shape)
    if comm.rank == 0:
        for deal in ("shares", "maps"):
            same(collio.load(MPI.COMM_SELF, folder / "a", deal=deal).indices(), joined(maps, shape))


def check_what_is_refused(comm, folder):
    shape = (6, 8)
    with raises(FileNotFoundError, "nothing"):
        collio.load(comm, folder / "nothing")
    collio.box(shape, (0, 0), (6, 8)).save(comm, folder / "a")
    for wrong in ((6, 9), (48,)):
        with raises(ValueError, "its array is 6 x 8", "expects " + " x ".join(map(str, wrong))):
            collio.load(comm, folder / "a", shape=wrong)
    with raises(ValueError, "'rows'", "'shares'"):
        collio.load(comm, folder / "a", deal="rows")
    if comm.size > 1:
        last = comm.rank == comm.size - 1
        with raises(collio.Error, f"the array of rank {comm.size - 1} is 6 x 9; allowed: 6 x 8", "NOT_SAME"):
            collio.box((6, 9) if last else shape, (0, 0), (0, 0)).save(comm, folder / "b")
        with raises(ValueError if last else collio.PeerError, "deal" if last else f"rank {comm.size - 1}"):
            collio.load(comm, folder / "a", deal="?" if last else None)
    with raises(collio.NotFoundError):
        collio.box(shape, (0, 0), (0, 0)).save(comm, folder / "no" / "b")


def check_damaged_files(comm, folder):
    """The same error on all ranks; tests/unit/saved_decomposition_test.cpp damages every byte."""
    path = folder / "a"
    collio.map((50,), (7 * np.arange(9) + comm.rank) % 50).save(comm, path)
    comm.Barrier()
    good = path.read_bytes()
    comm.Barrier()

    def refused(data, *words):
        if comm.rank == 0:
            path.write_bytes(data)
        comm.Barrier()
        with raises(collio.Error, str(path), "BAD_FILE", *words):
            collio.load(comm, path)

    def changed(at):
        return good[:at] + bytes([good[at] ^ 16]) + good[at + 1 :]

    refused(changed(0), "COLLIODC")
    refused(changed(8), "version is 17; allowed: 1")
    refused(changed(50), "header is damaged")
    refused(changed(104 + 48 * comm.size - 1), f"the entry of rank {comm.size - 1} is damaged")
    refused(changed(len(good) - 1), f"the map of rank {comm.size - 1} is damaged")
    for size in range(len(good)):
        refused(good[:size], f"it has {size} bytes")
    refused(good + b"x", f"allowed: {len(good)}")
    refused(bytes(len(good)), "did not come to its end")


def check_storage_that_fails_as_it_is_saved(comm, folder):
    """The file before stays, and nothing else does."""
    old = collio.map((50,), np.arange(9))
    old.save(comm, folder / "a")
    os.chmod(folder / "a", 0o640)
    before = os.environ.get("COLLIO_HINTS", "")
    for fault, word in (("write1:ENOSPC", "NO_SPACE"), ("sync1:EIO", "IO")):
        os.environ["COLLIO_HINTS"] = f"collio_faults=all:{fault}"
        with raises(collio.Error, word):
            collio.map((50,), np.arange(8)).save(comm, folder / "a")
        os.environ["COLLIO_HINTS"] = before
        same(collio.load(comm, folder / "a").indices(), old.indices())
        assert os.listdir(folder) == ["a"]
    comm.Barrier()
    collio.map((50,), np.arange(8)).save(comm, folder / "a")
    same(collio.load(comm, folder / "a").indices(), np.arange(8))
    assert os.listdir(folder) == ["a"] and (folder / "a").stat().st_mode & 0o777 == 0o640


def check_one_file_where_others_are_in_subfiles(comm, folder):
    before = os.environ.get("COLLIO_HINTS", "")
    os.environ["COLLIO_HINTS"] = "collio_subfiles=2"
    for elements in (9, 8):
        collio.map((50,), np.arange(elements)).save(comm, folder / "a")
        same(collio.load(comm, folder / "a").indices(), np.arange(elements))
        assert os.listdir(folder) == ["a"]
        comm.Barrier()
    collio.open(comm, folder / "a", "w").close()
    comm.Barrier()
    assert sorted(os.listdir(folder)) == ["a", "a.collio"]
    comm.Barrier()
    collio.map((50,), np.arange(7)).save(comm, folder / "a")
    same(collio.load(comm, folder / "a").indices(), np.arange(7))
    assert os.listdir(folder) == ["a"], "subfiles of the file that had the name"
    os.environ["COLLIO_HINTS"] = before
