"""What checks on several ranks share."""

import contextlib

import numpy as np

import collio


def numbers(shape, dtype="f8", seed=0):
    """An array of values that are all different, in the whole range of small integers."""
    size = int(np.prod(shape))
    return (np.arange(size) + 1 + 1000 * seed).astype(dtype).reshape(shape)


def rows_of(comm, rows):
    """(first row, number of rows) of this rank: as even as can be."""
    first = rows * comm.rank // comm.size
    return first, rows * (comm.rank + 1) // comm.size - first


def file_as(comm, path, dtype, shape=(-1,)):
    """The file's content, read by this rank without collio when all are there."""
    comm.Barrier()
    return np.fromfile(path, dtype=dtype).reshape(shape)


def same(found, wanted):
    np.testing.assert_array_equal(found, wanted)


@contextlib.contextmanager
def raises(kind, *parts):
    """The block raises an exception of this kind, with these parts in its text."""
    try:
        yield
    except kind as error:
        missing = [part for part in parts if part not in str(error)]
        assert not missing, f"{type(error).__name__}: {error}: lacks {missing}"
    else:
        raise AssertionError(f"no {kind.__name__} was raised")


def whole(comm, path, array, offset=0):
    """Writes an array with rank 0's data."""
    with collio.open(comm, path, "w") as file:
        count = array.shape if comm.rank == 0 else (0,) * array.ndim
        cells = collio.box(array.shape, (0,) * array.ndim, count)
        file.variable("whole", array.dtype, cells, offset).put(array if comm.rank == 0 else array[:0])
        file.commit(wait=True)
