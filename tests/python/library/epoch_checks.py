"""Declared epochs: the first puts are written while the program makes the rest."""

import weakref

import numpy as np
from common_checks import file_as, raises, same
from leaving_checks import OwnError, still_works

import collio

SMALL = {"cb_nodes": 1, "cb_buffer_size": 1}
"""Every array is a group of its own."""


def variables_of(comm, file, count=3):
    bytes_ = 80 * comm.size
    cells = collio.box((comm.size, 10), (comm.rank, 0), (1, 10))
    return [
        file.variable(f"v{number}", "f8", cells, number * bytes_, count * bytes_) for number in range(count)
    ]


def expected(comm, steps, count=3):
    return [
        100.0 * step + 10 * number + rank
        for step in range(steps)
        for number in range(count)
        for rank in range(comm.size)
        for _ in range(10)
    ]


def check_one_array_for_all_variables(comm, folder):
    with collio.open(comm, folder / "a", "w") as file:
        variables = variables_of(comm, file)
        file.declare(variables, in_memory=1)
        assert [file.group_end(number) for number in range(3)] == [1, 2, 3]
        data = np.zeros(10)
        for step in range(4):
            for number, variable in enumerate(variables):
                data[:] = 100 * step + 10 * number + comm.rank
                variable.put(data, step)
                if number < 2:
                    file.wait_puts(number + 1)
            file.commit(wait=True)
    same(file_as(comm, folder / "a", "f8"), expected(comm, 4))


def check_orders_of_their_own(comm, folder):
    """Ranks put in different orders, and the last one nothing."""
    with collio.open(comm, folder / "a", "w", SMALL) as file:
        variables = variables_of(comm, file)
        puts = [(number, record) for record in range(2) for number in range(3)]
        puts = puts[comm.rank :] + puts[: comm.rank]
        if comm.rank == comm.size - 1 and comm.size > 1:
            puts = []
        file.declare([(variables[number], record) for number, record in puts])
        requests = []
        for step in (0, 2):
            for number, record in puts:
                variables[number].put(
                    np.full(10, 100.0 * (step + record) + 10 * number + comm.rank), step + record
                )
            requests.append(file.commit(wait=False))
        assert [request.wait() for request in requests] == [80 * len(puts)] * 2
        file.declare([])
        if not puts:
            for step in range(4):
                for number in range(3):
                    variables[number].put(np.full(10, 100.0 * step + 10 * number + comm.rank), step)
        file.commit(wait=False)
    same(file_as(comm, folder / "a", "f8"), expected(comm, 4))


def check_puts_that_are_not_declared(comm, folder):
    with collio.open(comm, folder / "a", "w", SMALL) as file:
        of_closed = variables_of(comm, file)[0]
    with collio.open(comm, folder / "a", "w", SMALL) as file:
        first, second, third = variables_of(comm, file)
        with raises(ValueError, "declared put 1"):
            file.declare([first, (second, -1)])
        with raises(ValueError, "declared put 0: its variable is null, or of another file"):
            file.declare([of_closed])
        with raises(ValueError, "in_memory is 1; allowed: 2 and more, or 0"):
            file.declare([first, first], in_memory=1)
        with raises(ValueError, "no puts are declared"):
            file.group_end(0)
        file.declare([first, second])
        with raises(ValueError, "put 0 is declared for another variable"):
            third.put(np.zeros(10))
        with raises(ValueError, "put is 2; allowed: 0 to 1"):
            file.group_end(2)
        with raises(ValueError):
            file.commit(wait=True)
        first.put(np.zeros(10), 5)
        with raises(ValueError, "the record of put 1 is 6; allowed: 5"):
            second.put(np.zeros(10), 6)
        with raises(ValueError):
            file.sync()
        file.cancel()
        with raises(ValueError, "the epoch was cancelled"):
            first.put(np.zeros(10))
        with raises(ValueError):
            file.commit(wait=False).wait()
        for step in range(2):
            for number, variable in enumerate((first, second)):
                variable.put(np.full(10, 100.0 * step + 10 * number + comm.rank), step)
            file.commit(wait=False)
        file.declare([third])
        for step in range(2):
            third.put(np.full(10, 100.0 * step + 20 + comm.rank), step)
            file.commit(wait=False)
        file.truncate(2 * 3 * 80 * comm.size)
    same(file_as(comm, folder / "a", "f8"), expected(comm, 2))


def check_arrays_live_as_long_as_their_group(comm, folder):
    """After a cancel, and where the program has no name for them any more."""
    rows = 1 << 17  # so many that memory which is given back is gone
    cells = collio.box((comm.size, rows), (comm.rank, 0), (1, rows))
    with collio.open(comm, folder / "a", "w", SMALL) as file:
        first, second = file.variable("a", "f8", cells), file.variable("b", "f8", cells, 8 * rows * comm.size)
        file.declare([first, second])
        if comm.rank == 0:
            first.put(np.full(rows, 1.0))
            file.cancel()
        comm.Barrier()
        if comm.rank > 0:
            first.put(np.full(rows, 1.0))
            second.put(np.full(rows, 2.0))
        with raises(ValueError):
            file.commit(wait=True)
    same(file_as(comm, folder / "a", "f8")[: rows * comm.size], np.ones(rows * comm.size))


def check_arrays_go_when_they_are_written(comm, folder):
    """A program may make a new array for each put and have memory for two."""
    with collio.open(comm, folder / "a", "w", SMALL) as file:
        variables = variables_of(comm, file)
        file.declare(variables, in_memory=2)
        for step in range(3):
            known = []
            for number, variable in enumerate(variables):
                if number > 1:
                    file.wait_puts(number - 1)
                    assert [array() is None for array in known] == [True] * (number - 1) + [False]
                array = np.full(10, 100.0 * step + 10 * number + comm.rank)
                known.append(weakref.ref(array))
                variable.put(array, step)
                del array
            file.commit(wait=False)
    same(file_as(comm, folder / "a", "f8"), expected(comm, 3))


def check_a_rank_leaves_amid(comm, folder):
    """The others wait for a group that it will never put."""
    who = comm.size - 1
    wanted = OwnError if comm.rank == who else (ValueError, collio.PeerError)
    with raises(wanted), collio.open(comm, folder / "a", "w", SMALL) as file:
        variables = variables_of(comm, file)
        file.declare(variables)
        variables[0].put(np.zeros(10))
        file.wait_puts(1)
        if comm.rank == who:
            raise OwnError
        variables[1].put(np.zeros(10))
        file.wait_puts(2)
    still_works(comm, folder)


def check_a_rank_leaves_before_a_call_with_a_request(comm, folder):
    """The call is an error amid an epoch, and the other ranks leave, too."""
    who = comm.size - 1
    for number, call in enumerate(
        (
            lambda file: file.fetch(wait=False),
            lambda file: file.write_pieces([(0, 0)], b"", wait=False),
            lambda file: file.read_pieces([(0, 0)], bytearray(), wait=False),
            lambda file: file.commit(wait=False).wait(),
        )
    ):
        wanted = OwnError if comm.rank == who else collio.PeerError
        with raises(wanted), collio.open(comm, folder / str(number), "w", SMALL) as file:
            variables = variables_of(comm, file)
            file.declare(variables)
            variables[0].put(np.zeros(10))
            if comm.rank == who:
                raise OwnError
            call(file)
    still_works(comm, folder)


def check_calls_with_requests_amid(comm, folder):
    with collio.open(comm, folder / "a", "w", SMALL) as file:
        variables = variables_of(comm, file)
        file.declare(variables)
        for _ in range(10):
            variables[0].put(np.zeros(10))
            with raises(ValueError, "data was put without a commit behind it"):
                file.fetch(wait=False)
            assert not file.opened.putting  # arrays may go
        for step in range(2):
            for number, variable in enumerate(variables):
                variable.put(np.full(10, 100.0 * step + 10 * number + comm.rank), step)
            file.commit(wait=False)
    same(file_as(comm, folder / "a", "f8"), expected(comm, 2))


def check_a_rank_leaves_another_file(comm, folder):
    """The others wait for a group of a file that it has not left yet."""
    who, another = comm.size - 1, comm.Dup()
    for declared, its in ((3, comm), (0, comm), (3, another)):  # by the rank that leaves
        wanted = OwnError if comm.rank == who else (ValueError, collio.PeerError)
        with raises(wanted), collio.open(its, folder / f"outer{declared}", "w", SMALL) as outer:
            variables = variables_of(comm, outer)
            outer.declare(variables[:declared] if comm.rank == who else variables)
            with collio.open(comm, folder / f"inner{declared}", "w"):
                if comm.rank == who:
                    raise OwnError
                variables[0].put(np.zeros(10))
                outer.wait_puts(1)
    another.Free()
    still_works(comm, folder)


def check_files_of_two_communicators(comm, folder):
    """Some ranks wait for groups, or for a request, of one file while the others are in a call on another
    one."""
    other = comm.Dup()
    with (
        collio.open(comm, folder / "a", "w") as first,
        collio.open(other, folder / "b", "w", SMALL) as second,
    ):
        variables = variables_of(comm, second)
        second.declare(variables)
        for step in range(2):
            for number, variable in enumerate(variables):
                variable.put(np.full(10, 100.0 * step + 10 * number + comm.rank), step)
            if comm.rank > 0:
                second.wait_puts(2)
            first.commit(wait=True)
            request = second.commit(wait=False)
            if comm.rank > 0:
                request.wait()
            collio.open(comm, folder / "c", "w").close()
        third = comm.Dup()
        for opens in (
            lambda: collio.open(third, folder / "d", "w"),
            lambda: collio.array.open(third, folder / "e.nc", "w", {"v": ((9,), "f8")}),
        ):
            for number, variable in enumerate(variables):
                variable.put(np.full(10, 100.0 + 10 * number + comm.rank), 1)
            request = second.commit(wait=False)
            if comm.rank == 0:
                request.wait()
            opens().close()
        third.Free()
    other.Free()
    same(file_as(comm, folder / "b", "f8"), expected(comm, 2))
