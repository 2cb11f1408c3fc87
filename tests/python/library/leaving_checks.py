"""An exception in a `with` block, on one rank or several: no rank hangs in a call of collio, and the
communicator goes on working."""

import numpy as np
from common_checks import file_as, raises, same

import collio


class OwnError(Exception):
    pass


def variable_of(comm, file):
    return file.variable(
        "a", "f8", collio.box((comm.size, 100), (comm.rank, 0), (1, 100)), record_stride=800 * comm.size
    )


def wanted(comm, who):
    """What the block is to raise on this rank."""
    return OwnError if comm.rank in who else collio.PeerError


def still_works(comm, folder):
    with collio.open(comm, folder / "after", "w") as file:
        variable_of(comm, file).put(np.full(100, comm.rank, "f8"))
        file.commit(wait=False)
    same(file_as(comm, folder / "after", "f8"), np.repeat(np.arange(comm.size), 100))


def check_one_rank_before_a_commit(comm, folder):
    with raises(wanted(comm, [0])), collio.open(comm, folder / "a", "w") as file:
        variable_of(comm, file).put(np.zeros(100))
        if comm.rank == 0:
            raise OwnError
        file.commit(wait=True)
    assert file.closed
    still_works(comm, folder)


def check_one_rank_while_others_run_ahead(comm, folder):
    last = comm.size - 1
    with raises(wanted(comm, [last])), collio.open(comm, folder / "a", "w") as file:
        variable = variable_of(comm, file)
        requests = []
        for step in range(6):
            variable.put(np.zeros(100), step)
            requests.append(file.commit(wait=False))
            if step == 2 and comm.rank == last:
                raise OwnError
        requests[0].wait()
        for request in requests:
            request.wait()
    still_works(comm, folder)


def check_one_rank_while_others_close(comm, folder):
    with raises(wanted(comm, [0])), collio.open(comm, folder / "a", "w") as file:
        variable_of(comm, file).put(np.zeros(100))
        file.commit(wait=False)
        if comm.rank == 0:
            raise OwnError
    assert file.closed
    still_works(comm, folder)


def check_every_call_of_the_others(comm, folder):
    block = np.zeros(8, "u1")
    pieces = [(8 * comm.rank, 8)]
    for number, call in enumerate(
        (
            lambda file: file.fetch(),
            lambda file: file.sync(),
            lambda file: file.truncate(5),
            lambda file: file.write_pieces(pieces, block),
            lambda file: file.read_pieces(pieces, block),
            lambda file: file.fetch(wait=False).wait(),
            lambda file: file.write_pieces(pieces, block, wait=False).wait(),
            lambda file: file.read_pieces(pieces, block, wait=False).wait(),
            lambda file: collio.open(comm, folder / "other", "w"),
            lambda file: file.close(),
        )
    ):
        with raises(wanted(comm, [0])), collio.open(comm, folder / f"{number}", "w") as file:
            if comm.rank == 0:
                raise OwnError
            call(file)
    still_works(comm, folder)


def check_all_ranks(comm, folder):
    with raises(OwnError), collio.open(comm, folder / "a", "w") as file:
        variable_of(comm, file).put(np.zeros(100))
        raise OwnError
    still_works(comm, folder)


def check_ranks_at_different_steps(comm, folder):
    with raises(wanted(comm, [0, 1])), collio.open(comm, folder / "a", "w") as file:
        for step in range(4):
            if (comm.rank, step) in ((0, 1), (1, 2)):
                raise OwnError
            file.commit(wait=False)
        file.commit(wait=True)
    still_works(comm, folder)


def check_two_files(comm, folder):
    with (
        raises(wanted(comm, [0])),
        collio.open(comm, folder / "a", "w") as one,
        collio.open(comm, folder / "b", "w") as other,
    ):
        one.commit(wait=True)
        if comm.rank == 0:
            raise OwnError
        one.commit(wait=True)
        other.commit(wait=True)
    assert one.closed and other.closed
    still_works(comm, folder)


def check_an_inner_file_that_others_closed(comm, folder):
    with raises(wanted(comm, [0])), collio.open(comm, folder / "a", "w") as one:
        with collio.open(comm, folder / "b", "w") as other:
            if comm.rank == 0:
                raise OwnError
        one.commit(wait=True)
    assert one.closed and other.closed
    still_works(comm, folder)


def check_an_error_of_collio(comm, folder):
    """All ranks leave by the same error."""
    with (
        raises(collio.Error, "NO_SPACE"),
        collio.open(comm, folder / "a", "w", hints={"collio_faults": "all:write1:ENOSPC"}) as file,
    ):
        variable_of(comm, file).put(np.zeros(100))
        file.commit(wait=True)
    still_works(comm, folder)


def check_an_error_that_is_caught(comm, folder):
    """The others may go on with another file; what one rank put is forgotten."""
    try:
        with collio.open(comm, folder / "a", "w") as file:
            variable = variable_of(comm, file)
            variable.put(np.full(100, comm.rank, "f8"))
            file.commit(wait=True)
            variable.put(np.full(100, -1.0))
            if comm.rank == 0:
                variable.put(np.zeros(3))
            file.commit(wait=True)
    except (ValueError, collio.PeerError):
        pass
    same(file_as(comm, folder / "a", "f8"), np.repeat(np.arange(comm.size), 100))
    still_works(comm, folder)
