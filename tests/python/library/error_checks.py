"""What is refused, by which exception, and what it says."""

import pickle

import numpy as np
from common_checks import numbers, raises, whole
from mpi4py import MPI

import collio


def check_arguments_of_put_and_get(comm, folder):
    with collio.open(comm, folder / "a", "w") as file:
        cells = collio.box((comm.size, 6), (comm.rank, 0), (1, 6))
        variable = file.variable("T", "f4", cells)
        stepped = file.variable("U", "f4", cells, offset=1000, record_stride=comm.size * 24)
        good = numbers((6,), "f4")
        locked = good.copy()
        locked.flags.writeable = False
        for call in (variable.put, variable.get):
            with raises(TypeError, "float64", "float32", "T."):
                call(good.astype("f8"))
            with raises(TypeError, ">f4"):
                call(good.astype(">f4"))
            with raises(ValueError, "(2, 4)", "8 elements", "6"):
                call(np.zeros((2, 4), "f4"))
            with raises(TypeError, "list"):
                call([1.0] * 6)
            with raises(TypeError, "masked"):
                call(np.ma.masked_array(good, mask=good > 2))
            with raises(ValueError, "record is 1", "record_stride"):
                call(good, record=1)
            with raises(ValueError, "record is -1"):
                call(good, record=-1)
        with raises(ValueError, "read-only"):
            variable.get(locked)
        stepped.put(locked, record=2)
        file.commit(wait=True)
        file.fetch()
    with raises(ValueError, "closed"):
        variable.put(good)
    for call in (
        file.commit,
        file.fetch,
        file.sync,
        file.cancel,
        lambda: file.size,
        lambda: file.truncate(1),
    ):
        with raises(ValueError, "closed"):
            call()


def check_arguments_of_variables(comm, folder):
    with collio.open(comm, folder / "a", "w") as file:
        cells = collio.box((4,), (0,), (0,))
        file.variable("T", "f4", cells)
        for kind, words, arguments in (
            (ValueError, ("'T'",), ("T", "f4", cells)),
            (TypeError, ("objects",), ("U", "O", cells)),
            (ValueError, ("0 bytes",), ("U", "S0", cells)),
            (ValueError, ("offset", "-8"), ("U", "f4", cells, -8)),
            (ValueError, ("record_bytes", "8"), ("U", "f4", cells, 0, 8)),
            (ValueError, ("64 bits",), ("U", "f4", cells, 1 << 64)),
        ):
            with raises(kind, *words):
                file.variable(*arguments)
        with raises(TypeError, "map", "box"):
            file.decomposition((4,))


def check_arguments_of_decompositions(comm, folder):
    for kind, words, make in (
        (ValueError, ("count[1]", "5"), lambda: collio.box((4, 4), (0, 0), (4, 5))),
        (ValueError, ("dimensions",), lambda: collio.box((4, 4), (0,), (4,))),
        (TypeError, ("start", "1.5"), lambda: collio.box((4,), (1.5,), (1,))),
        (ValueError, ("dims", "8"), lambda: collio.box((1,) * 8, (0,) * 8, (1,) * 8)),
        (ValueError, ("map[1]", "16"), lambda: collio.map((4, 4), [0, 16])),
        (ValueError, ("map[0]", "-2"), lambda: collio.map((4, 4), np.array([-2]))),
        (TypeError, ("float64",), lambda: collio.map((4, 4), [0.5])),
        (ValueError, ("index",), lambda: collio.map((4, 4), np.array([1 << 63], "u8"))),
        (ValueError, ("64 bits",), lambda: collio.box((1 << 64,), (0,), (1,))),
    ):
        with raises(kind, *words):
            make()
    assert collio.map((4,), []).elements == 0 and collio.box(4, 0, 4).shape == (4,)


def check_open_raises_on_all_ranks(comm, folder):
    with raises(FileNotFoundError, "nothing", "NO_SUCH_FILE"):
        collio.open(comm, folder / "nothing")
    with raises(collio.NotFoundError):
        collio.open(comm, folder / "no" / "folder", "w")
    with raises(ValueError, "'rw'", "'r+'"):
        collio.open(comm, folder / "a", "rw")
    with raises(ValueError, "hint"):
        collio.open(comm, folder / "a", "w", hints={"a;b": 1})
    with raises(TypeError, "comm is None"):
        collio.open(None, folder / "a", "w")
    with raises(ValueError, "COMM_NULL"):
        collio.open(MPI.COMM_NULL, folder / "a", "w")


def check_one_rank_with_wrong_arguments(comm, folder):
    wrong = comm.rank == comm.size - 1
    with raises(ValueError if wrong else collio.PeerError, "mode" if wrong else f"rank {comm.size - 1}"):
        collio.open(comm, folder / "a", "?" if wrong else "w")
    with collio.open(comm, folder / "a", "w") as file:
        assert file.size == 0


def check_modes_are_kept_to(comm, folder):
    whole(comm, folder / "a", numbers((4,), "f4"))
    with collio.open(comm, folder / "a") as file:
        cells = collio.box((4,), (0,), (0,))
        with raises(PermissionError, "READ_ONLY"):
            file.variable("a", "f4", cells).put(np.zeros(0, "f4"))
        with raises(collio.AccessError):
            file.write_pieces([(0, 4)], bytes(4))
        with raises(collio.Error):  # of the put
            file.commit(wait=True)


def check_an_element_twice_is_not_written(comm, folder):
    with collio.open(comm, folder / "a", "w") as file:
        if comm.rank == 0:
            with raises(collio.ArgumentError, "twice", "ARGUMENT"):
                file.variable("a", "f4", collio.map((4,), [1, 1])).put(np.zeros(2, "f4"))
        with raises(collio.ArgumentError):
            file.commit(wait=True)
        once = file.variable("b", "f4", collio.box((comm.size,), (comm.rank,), (1,)))
        once.put(np.zeros(1, "f4"))
        if comm.rank == 0:
            once.put(np.ones(1, "f4"))
        request = file.commit(wait=False)
        with raises(collio.ArgumentError):
            request.wait()
        once.put(np.zeros(1, "f4"))
        file.commit(wait=True)


def check_close_with_something_left(comm, folder):
    file = collio.open(comm, folder / "a", "w")
    variable = file.variable("a", "f4", collio.box((comm.size,), (comm.rank,), (1,)))
    if comm.rank == 0:
        variable.put(np.zeros(1, "f4"))
    with raises(collio.ArgumentError):
        file.close()
    assert file.closed


def check_storage_that_fails(comm, folder):
    faults = {"collio_faults": "all:write1:ENOSPC"}
    data = np.zeros(1000, "f8")
    with collio.open(comm, folder / "a", "w", hints=faults) as file:
        variable = file.variable("a", "f8", collio.box((comm.size, 1000), (comm.rank, 0), (1, 1000)))
        variable.put(data)
        with raises(collio.Error, "NO_SPACE") as caught:
            file.commit(wait=True)
        del caught
    file = collio.open(comm, folder / "a", "w", hints=faults)
    file.variable("a", "f8", collio.box((comm.size, 1000), (comm.rank, 0), (1, 1000))).put(data)
    file.commit(wait=False)  # nobody waits for it
    try:
        file.close()
    except collio.Error as error:
        assert error.code == "NO_SPACE" and error.errno == 28 and error.text in str(error)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and (again.code, again.text) == (error.code, error.text)
    else:
        raise AssertionError("close() raised nothing")


def check_different_calls(comm, folder):
    if comm.size == 1:
        return
    with collio.open(comm, folder / "a", "w") as file:
        with raises(collio.Error, "NOT_SAME"):
            file.commit(wait=True) if comm.rank == 0 else file.fetch()
        file.commit(wait=True)
        with raises(collio.Error, "NOT_SAME"):
            file.truncate(comm.rank)


def check_direct_calls_refuse(comm, folder):
    with collio.open(comm, folder / "a", "w") as file:
        for kind, words, arguments in (
            (ValueError, ("8 bytes", "9"), ([(0, 8)], bytes(9))),
            (ValueError, ("(3,)",), ([1, 2, 3], bytes(9))),
            (TypeError, ("float64",), ([(0.0, 8)], bytes(8))),
            (ValueError, ("-1",), ([(-1, 8)], bytes(8))),
            (ValueError, ("byte 12",), ([(0, 8)], bytes(8), [(4, 8)])),
            (ValueError, ("memory_pieces 4",), ([(0, 8)], bytes(8), [(4, 4)])),
            (ValueError, ("contiguous",), ([(0, 8)], np.zeros(16, "u1")[::2])),
            (TypeError, ("objects",), ([(0, 8)], np.zeros(1, "O"))),
        ):
            with raises(kind, *words):
                file.write_alone(*arguments)
        with raises(ValueError, "read-only"):
            file.read_alone([(0, 8)], bytes(8))
