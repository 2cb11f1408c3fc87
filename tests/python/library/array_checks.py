"""Array files: written by all ranks, read by h5py, netCDF4 and xarray, and the reverse."""

import numpy as np
from common_checks import numbers, raises, rows_of, same

import collio

SHAPE = (5, 12, 3)


def on_first_rank(comm, work):
    """`work` on rank 0, when all are there and before any goes on; its failure is one of all ranks."""
    failure = None
    comm.Barrier()
    if comm.rank == 0:
        try:
            work()
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
    failure = comm.bcast(failure)
    assert not failure, failure


def part_of(comm, array):
    first, count = rows_of(comm, array.shape[1])
    return np.ascontiguousarray(array[:, first : first + count]), (0, first, 0)


def read_by_others(path, name, array, dimensions=None):
    import netCDF4
    import xarray

    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        same(file[name][:], array)
        assert dimensions is None or file[name].dimensions == dimensions
    with xarray.open_dataset(path, engine="netcdf4", decode_cf=False) as file:
        same(file[name].values, array)
        assert dimensions is None or file[name].dims == dimensions
    if path.suffix == ".h5":
        import h5py

        with h5py.File(path) as file:
            same(file[name][:], array)


def check_one_array(comm, folder):
    for ending in ("h5", "nc"):
        for dtype in ("f4", "f8", "i1", "u2", "i8", ">f4", ">i4"):
            array = numbers(SHAPE).astype(dtype)
            path = folder / f"{dtype.replace('>', 'big')}.{ending}"
            block, start = part_of(comm, array)
            collio.array.write(comm, path, "T", block, shape=SHAPE, start=start)
            on_first_rank(comm, lambda: read_by_others(path, "T", array))
            back = collio.array.read(comm, path, "T", start=start, count=block.shape)
            same(back, block)
            assert back.dtype == np.dtype(dtype).newbyteorder("=")
            same(collio.array.read(comm, path, "T"), array)


def check_several_arrays(comm, folder):
    temperature, mask = numbers(SHAPE, "f8"), numbers((6, 4), "i4", 3)
    for ending in ("h5", "nc"):
        path = folder / f"a.{ending}"
        arrays = {"T": (SHAPE, "f8", ("z", "y", "x")), "mask": ((6, 4), "i4")}
        with collio.array.open(comm, path, "w", arrays) as file:
            block, start = part_of(comm, temperature)
            file.put("T", block[::1], start)
            mine = np.flatnonzero(np.arange(24) % comm.size == comm.rank)[::-1]
            file.put("mask", mask.reshape(-1)[mine], decomposition=collio.map((6, 4), mine))
            assert file.commit(wait=False).wait() == block.nbytes + 4 * len(mine)
            if comm.rank == 0:
                file.put("mask", mask[:1])
            file.commit(wait=True)
        on_first_rank(
            comm,
            lambda: (
                read_by_others(path, "T", temperature, ("z", "y", "x")),
                read_by_others(path, "mask", mask),
            ),
        )
        with collio.array.open(comm, path, "r+") as file:
            same(
                file.read("mask", decomposition=collio.map((6, 4), [3, 3, 23])), mask.reshape(-1)[[3, 3, 23]]
            )
            same(file.read("T", (1, 2, 0)), temperature[1:, 2:])
            file.put("mask", -mask if comm.rank == 0 else mask[:0])
            file.commit(wait=True)
            same(file.read("mask"), -mask)
            assert file.arrays["mask"].shape == (6, 4) and {"T", "mask"} <= set(file.arrays)


def check_files_of_others(comm, folder):
    import h5py
    import netCDF4

    array = numbers((4, 6), "f4")

    def make():
        with h5py.File(folder / "other.h5", "w", userblock_size=1024) as file:
            file["group/plain"] = array
            file.create_dataset("chunked", data=array, chunks=(2, 2), compression="gzip")
            file["scalar"] = 3
            file["text"] = "words"
        for kind in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
            with netCDF4.Dataset(folder / f"{kind}.nc", "w", format=kind) as file:
                file.title = "attributes of odd lengths"
                for name, length in (("time", None), ("y", 4), ("x", 6)):
                    file.createDimension(name, length)
                file.createVariable("number", "i4")[...] = 5
                file.createVariable("before", "i2", ("x",))[:] = np.arange(6)
                variable = file.createVariable("a", "f4", ("y", "x"))
                variable.units, variable.valid_range = "K", np.array([0.0, 1.0, 2.0])
                variable[:] = array
                file.createVariable("stepped", "f4", ("time", "x"))[:] = array

    on_first_rank(comm, make)
    same(
        collio.array.read(comm, folder / "other.h5", "group/plain", start=(comm.rank % 4, 0), count=(1, 6)),
        array[comm.rank % 4 :][:1],
    )
    with raises(KeyError, "chunked", "group/plain"):
        collio.array.read(comm, folder / "other.h5", "chunked")
    for kind in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
        same(collio.array.read(comm, folder / f"{kind}.nc", "a"), array)
        same(collio.array.read(comm, folder / f"{kind}.nc", "before"), np.arange(6))
        same(collio.array.read(comm, folder / f"{kind}.nc", "stepped"), array)
        with raises(KeyError, "number", "'a'"):
            collio.array.read(comm, folder / f"{kind}.nc", "number")


def check_errors_on_all_ranks(comm, folder):
    block = np.zeros((2, 2))
    for kind, words, path, arrays in (
        (ValueError, (".dat", ".h5"), "a.dat", {}),
        (ValueError, ("'T'", "(0, 2)"), "a.h5", {"T": ((0, 2), "f4")}),
        (ValueError, ("complex128", "CDF-5"), "a.nc", {"T": ((2, 2), "c16")}),
        (TypeError, (), "a.h5", {"T": ((2, 2), "nonsense")}),
        (ValueError, ("dimensions",), "a.nc", {"T": ((2, 2), "f4", ("x", "x"))}),
        (collio.Error, ("no/a.h5",), "no/a.h5", {"T": ((2, 2), "f4")}),
        (ValueError, ("'x'", "3"), "b.nc", {"T": ((2,), "f4", ("x",)), "U": ((3,), "f4", ("x",))}),
        (ValueError, ("'x'", "3"), "b.h5", {"T": ((2,), "f4", ("x",)), "U": ((3,), "f4", ("x",))}),
    ):
        with raises(kind, *words):
            collio.array.open(comm, folder / path, "w", arrays)
    with raises(ValueError, "mode"):
        collio.array.open(comm, folder / "a.h5", "a")
    with raises(ValueError, "format"):
        collio.array.open(comm, folder / "a.h5", "w", {}, format="zarr")
    with raises(collio.Error, "missing.h5"):
        collio.array.open(comm, folder / "missing.h5")
    on_first_rank(
        comm,
        lambda: [
            (folder / name).write_bytes(content)
            for name, content in (("junk.nc", b"CDF\x05" + bytes(range(40))), ("junk.h5", b"junk" * 99))
        ],
    )
    with raises(ValueError, "junk.nc"):
        collio.array.open(comm, folder / "junk.nc")
    with raises(collio.Error, "junk.h5"):
        collio.array.open(comm, folder / "junk.h5")
    with collio.array.open(comm, folder / "c.h5", "w", {"T": ((2, 2), "f4")}) as file:
        with raises(TypeError, "float64", "float32"):
            file.put("T", block)
        with raises(KeyError, "'U'", "'T'"):
            file.put("U", block)
        with raises(ValueError, "(2, 2)", "(4,)"):
            file.put("T", block.astype("f4"), decomposition=collio.map((4,), [0]))
        with raises(ValueError):
            file.put("T", block.astype("f4"), start=(1, 1))


def check_a_rank_that_leaves(comm, folder):
    if comm.size == 1:
        return

    class OwnError(Exception):
        pass

    with (
        raises(OwnError if comm.rank == 0 else collio.PeerError),
        collio.array.open(comm, folder / "a.h5", "w", {"T": (SHAPE, "f8")}) as file,
    ):
        if comm.rank == 0:
            raise OwnError
        file.commit(wait=True)
