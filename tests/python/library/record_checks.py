"""Arrays of records in CDF-5 files: a step appended after the other, read by netCDF4 and xarray; and files
that others made."""

import numpy as np
from array_checks import on_first_rank, part_of
from common_checks import raises, same

import collio

SHAPE = (4, 12, 3)
ARRAYS = {
    "T": ((None, *SHAPE), "f8", ("time", "z", "y", "x")),
    "time": ((None,), "f8", ("time",)),
    "mask": ((None, 5), "i2", ("time", "n")),
    "still": ((6, 4), "i4", ("a", "b")),
}


def temperature(step):
    return np.arange(np.prod(SHAPE), dtype="f8").reshape(SHAPE) + 1000 * step


def put_step(comm, file, step):
    block, start = part_of(comm, temperature(step))
    file.put("T", block, start, record=step)
    if comm.rank == comm.size - 1:
        file.put("time", np.array(0.5 * step), record=step)
        file.put("mask", np.arange(5, dtype="i2") - step, record=step)


def read_by_others(path, steps):
    import netCDF4
    import xarray

    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        assert file.dimensions["time"].isunlimited() and len(file.dimensions["time"]) == steps
        same(file["T"][:], [temperature(step) for step in range(steps)])
        same(file["time"][:], 0.5 * np.arange(steps))
        same(file["mask"][:], [np.arange(5) - step for step in range(steps)])
    with xarray.open_dataset(path, engine="netcdf4", decode_cf=False) as file:
        same(file["T"].sel(time=0.5).values, temperature(1))


def check_steps(comm, folder):
    path = folder / "a.nc"
    with collio.array.open(comm, path, "w", ARRAYS) as file:
        assert file.records == 0 and file.read("T").shape == (0, *SHAPE)
        put_step(comm, file, 0)
        file.commit(wait=True)
        assert file.records == 1
        for step in (1, 2):
            put_step(comm, file, step)
            file.commit(wait=False)
    on_first_rank(comm, lambda: read_by_others(path, 3))
    with collio.array.open(comm, path, "r+") as file:
        assert file.records == 3
        put_step(comm, file, 3)
        file.put(
            "still", np.arange(24, dtype="i4").reshape(6, 4) if comm.rank == 0 else np.zeros((0, 4), "i4")
        )
        file.commit(wait=True)
        same(file.read("T", record=3), temperature(3))
        same(file.read("T", (1, 2, 0), (2, 3, 3)), [temperature(step)[1:3, 2:5] for step in range(4)])
        same(file.read("mask", decomposition=collio.map((5,), [4, 0]), record=2), [2, -2])
    on_first_rank(comm, lambda: read_by_others(path, 4))
    same(collio.array.read(comm, path, "time"), 0.5 * np.arange(4))
    same(collio.array.read(comm, path, "time", record=1), 0.5)
    same(collio.array.read(comm, path, "still"), np.arange(24).reshape(6, 4))


def check_one_record_by_one_call(comm, folder):
    block, start = part_of(comm, temperature(0))
    collio.array.write(comm, folder / "a.nc", "T", block, shape=(None, *SHAPE), start=start)
    same(collio.array.read(comm, folder / "a.nc", "T"), [temperature(0)])


def check_places_that_are_arrays(comm, folder):
    with collio.array.open(
        comm, folder / "a.nc", "w", {"v": ((None, comm.size, 2), "f8"), "time": ((None,), "f8")}
    ) as file:
        file.put("v", np.full((1, 2), comm.rank, "f8"), np.array([comm.rank, 0]), record=0)
        file.put("time", np.array(7.0), np.array([], int), record=0)
        file.commit(wait=True)
        same(
            file.read("v", np.array([0, 1]), np.array([comm.size, 1]), record=0),
            np.arange(comm.size).reshape(-1, 1),
        )
        same(file.read("time", record=0), 7)


def check_a_record_far_behind(comm, folder):
    path = folder / "a.nc"
    # the only one: no padding
    with collio.array.open(comm, path, "w", {"v": ((None, comm.size), "i1")}) as file:
        file.put("v", np.full(1, comm.rank, "i1"), (comm.rank,), record=7 if comm.rank == 0 else 2)
        file.commit(wait=False)
    found = collio.array.read(comm, path, "v")
    wanted = np.zeros((8, comm.size))
    wanted[2, 1:] = np.arange(1, comm.size)
    same(found, wanted)

    def look():
        import netCDF4

        with netCDF4.Dataset(path) as file:
            file.set_auto_mask(False)
            same(file["v"][2], wanted[2])

    on_first_rank(comm, look)


def check_records_that_were_not_written(comm, folder):
    """They do not count: those of a commit that fails, and those of a cancelled put."""
    arrays, hints = {"v": ((None, comm.size), "f8")}, {"collio_faults": "all:write1:ENOSPC"}

    def put(file, record):
        file.put("v", np.ones(1), (comm.rank,), record=record)

    with collio.array.open(comm, folder / "waited.nc", "w", arrays, hints=hints) as file:
        put(file, 4)
        with raises(collio.Error, "NO_SPACE"):
            file.commit(wait=True)
        put(file, 0)
        file.commit(wait=True)
        assert file.records == 1
    with (
        raises(collio.Error, "NO_SPACE"),
        collio.array.open(comm, folder / "later.nc", "w", arrays, hints=hints) as file,
    ):
        put(file, 4)
        file.commit(wait=False)
        put(file, 1)
        file.commit(wait=False)
    with collio.array.open(comm, folder / "cancelled.nc", "w", arrays) as file:
        for record in (4, 2):
            put(file, record)
            file.file.cancel()
        put(file, 0)
        file.commit(wait=False).wait()
        put(file, 3)
        file.file.cancel()
        file.commit(wait=False)
    with raises(ValueError), collio.array.open(comm, folder / "uncommitted.nc", "w", arrays) as file:
        put(file, 0)
        file.commit(wait=False)
        put(file, 1)
    for name, records in {"waited": 1, "later": 2, "cancelled": 1, "uncommitted": 1}.items():
        assert len(collio.array.read(comm, folder / f"{name}.nc", "v")) == records, name


def check_files_of_netcdf(comm, folder):
    """All classic formats; the variables need padding, or there is one that needs none."""
    for kind in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
        for names in (("a", "b"), ("a",)):
            path = folder / f"{kind}{len(names)}.nc"

            def make():
                import netCDF4

                with netCDF4.Dataset(path, "w", format=kind) as file:
                    file.createDimension("t", None)
                    file.createDimension("x", 3)
                    for name in names:
                        file.createVariable(name, "i2", ("t", "x"))[:] = np.arange(6).reshape(2, 3) + ord(
                            name
                        )

            on_first_rank(comm, make)
            with collio.array.open(comm, path, "r+") as file:
                same(file.read("a"), np.arange(6).reshape(2, 3) + ord("a"))
                file.put(
                    "a",
                    np.array([comm.rank], "i2") if comm.rank < 3 else np.zeros(0, "i2"),
                    (comm.rank % 3,),
                    record=2,
                )
                file.commit(wait=False)

            def look():
                import netCDF4

                with netCDF4.Dataset(path) as file:
                    file.set_auto_mask(False)
                    same(file["a"][:, 0], [ord("a"), ord("a") + 3, 0])
                    for name in names:
                        same(file[name][:2], np.arange(6).reshape(2, 3) + ord(name))

            on_first_rank(comm, look)


# --- in subfiles --------------------------------------------------------------------------------


def read_subfiles_by_others(path, steps, along=1, count=3):
    """Each subfile, and the master, as netCDF4 reads them; and all of them as xarray does."""
    import netCDF4
    import xarray

    whole = np.array([temperature(step) for step in range(steps)])
    parts = []
    for i in range(count):
        with netCDF4.Dataset(f"{path}.subfile_{i}.nc") as file:
            file.set_auto_mask(False)
            assert (
                file.data_model == "NETCDF3_64BIT_DATA"
                and file["T"].dimensions[0] == "time.T"
                and len(file.dimensions["time.T"]) == steps
            )
            parts.append(file["T"][...])
    same(np.concatenate(parts, axis=along), whole)
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        assert (
            file.dimensions["time"].isunlimited()
            and len(file.dimensions["time"]) == steps
            and file["T"].shape == ()
        )
        same(file["time"][:], 0.5 * np.arange(steps))
    with xarray.open_dataset(path, engine="collio", decode_cf=False) as data:
        same(data["T"].values, whole)
        same(data["T"].sel(time=0.5).values, temperature(1))
        same(data["mask"].values, [np.arange(5) - step for step in range(steps)])


def check_steps_in_subfiles(comm, folder):
    """Appended, also after a reopen, by any ranks; arrays along other dimensions, in the master, and without
    records beside them."""
    path = folder / "m.nc"
    with collio.array.open(comm, path, "w", ARRAYS, subfiles=3) as file:
        assert file.records == 0 and file.read("T").shape == (0, *SHAPE)
        put_step(comm, file, 0)
        file.commit(wait=True)
        assert file.records == 1
        for step in (1, 2):
            put_step(comm, file, step)
            file.commit(wait=False)
    on_first_rank(comm, lambda: read_subfiles_by_others(path, 3))
    with collio.array.open(comm, path, "r+") as file:
        assert file.records == 3
        put_step(comm, file, 3)
        file.put(
            "still", np.arange(24, dtype="i4").reshape(6, 4) if comm.rank == 0 else np.zeros((0, 4), "i4")
        )
        file.commit(wait=True)
        same(file.read("T", record=3), temperature(3))
        same(file.read("T", (1, 2, 0), (2, 3, 3)), [temperature(step)[1:3, 2:5] for step in range(4)])
        same(
            file.read("T", decomposition=collio.map(SHAPE, [143, 0, 71])),
            [temperature(step).reshape(-1)[[143, 0, 71]] for step in range(4)],
        )
        same(file.read("mask", decomposition=collio.map((5,), [4, 0]), record=2), [2, -2])
        put_step(comm, file, 1)  # once more
        file.commit(wait=True)
        assert file.records == 4
    on_first_rank(comm, lambda: read_subfiles_by_others(path, 4))
    same(collio.array.read(comm, path, "still"), np.arange(24).reshape(6, 4))
    same(collio.array.read(comm, path, "time", record=1), 0.5)


def check_steps_in_subfiles_along_another_dimension(comm, folder):
    path = folder / "m.nc"
    arrays = {name: ARRAYS[name] for name in ("T", "time", "mask")}
    with collio.array.open(comm, path, "w", arrays, subfiles=4, par_dim="y", min_ndims=3) as file:
        for step in range(3):
            put_step(comm, file, step)
            file.commit(wait=False)
    on_first_rank(comm, lambda: read_subfiles_by_others(path, 3, along=2, count=4))
    same(collio.array.read(comm, path, "T"), [temperature(step) for step in range(3)])


def check_records_in_subfiles_as_in_one_file(comm, folder):
    """Random arrays, wishes and puts: what is read from subfiles is what is read from one file."""
    dice = np.random.default_rng(11)
    for case in range(4):
        shape = tuple(int(n) for n in dice.integers(2, 9, dice.integers(1, 4)))
        along, names = int(dice.integers(len(shape))), ("t", "i", "j", "k")[: len(shape) + 1]
        arrays = {
            "a": ((None, *shape), "i2", names),
            "b": ((None, *shape), "f8", names),
            "c": (shape, "i1", names[1:]),
            "t": ((None,), "i4", ("t",)),
        }
        subfiles = {"subfiles": int(dice.integers(1, shape[along] + 1)), "par_dim": names[along + 1]}
        records = [int(n) for n in dice.integers(0, 5, 3)]
        found = []
        for how in ({}, subfiles):
            own = np.random.default_rng(100 * case + comm.rank)
            with collio.array.open(comm, folder / f"{case}{len(found)}.nc", "w", arrays, **how) as file:
                for record in records:
                    mine = np.flatnonzero(np.arange(np.prod(shape)) % comm.size == comm.rank)
                    for name, dtype in (("a", "i2"), ("b", "f8")):
                        file.put(
                            name,
                            own.integers(0, 99, mine.size).astype(dtype),
                            decomposition=collio.map(shape, mine),
                            record=record,
                        )
                    if comm.rank == 0:
                        file.put("t", np.array(record, "i4"), record=record)
                        file.put("c", np.arange(np.prod(shape)).reshape(shape).astype("i1"))
                    file.commit(wait=record % 2 == 0)
            with collio.array.open(comm, folder / f"{case}{len(found)}.nc") as file:
                assert file.records == max(records) + 1
                found.append([file.read(name) for name in arrays])
        for one, other in zip(*found):
            same(one, other)


def check_records_in_subfiles_far_behind(comm, folder):
    """Files are as long as their records, also where nobody wrote: those of one array need no padding."""
    path = folder / "m.nc"
    with collio.array.open(comm, path, "w", {"v": ((None, 5), "i1", ("t", "x"))}, subfiles=2) as file:
        if comm.rank == 0:
            file.put("v", np.array([7], "i1"), (4,), record=6)
        file.commit(wait=True)
        assert file.records == 7
        if comm.rank == 0:
            file.put("v", np.array([5], "i1"), (0,), record=2)
        file.commit(wait=False)
        with raises(ValueError, "record is 4611686018427387903; allowed in these subfiles: 0 to "):
            file.put("v", np.array([5], "i1"), (0,), record=(1 << 62) - 1)
    wanted = np.zeros((7, 5), "i1")
    wanted[6, 4], wanted[2, 0] = 7, 5
    same(collio.array.read(comm, path, "v"), wanted)

    def look():
        import netCDF4

        parts = []
        for i in range(2):
            with netCDF4.Dataset(f"{path}.subfile_{i}.nc") as file:
                file.set_auto_mask(False)
                parts.append(file["v"][:])
        same(np.concatenate(parts, axis=1), wanted)

    on_first_rank(comm, look)


def check_a_failed_commit_adds_no_record_to_subfiles(comm, folder):
    arrays = {"v": ((None, 2 * comm.size), "f8", ("t", "x"))}
    full = {"collio_faults": "all:write1:ENOSPC"}
    with collio.array.open(comm, folder / "m.nc", "w", arrays, subfiles=2, hints=full) as file:
        for record in (4, 0):
            file.put("v", np.ones(2), (2 * comm.rank,), record=record)
            if record == 4:
                with raises(collio.Error, "NO_SPACE"):
                    file.commit(wait=True)
        file.commit(wait=True)
        assert file.records == 1
    same(collio.array.read(comm, folder / "m.nc", "v"), np.ones((1, 2 * comm.size)))


def check_errors(comm, folder):
    path = folder / "a.nc"
    for arrays, text in (
        (
            {"v": ((3, None), "f8")},
            "allowed: 1 to 7 dimensions of 1 element and more, and one in front of them that is None for "
            "records",
        ),
        ({"v": ((2,) * 8, "f8")}, "(2, 2, 2, 2, 2, 2, 2, 2); allowed: 1 to 7 dimensions"),
        ({"v": ((None, *(2,) * 8), "f8")}, "allowed: 1 to 7 dimensions"),
        (
            {"v": ((None, 2), "f8", ("t", "x")), "w": ((None,), "f8", ("s",))},
            "'t', 's' have no length; allowed: one dimension of records",
        ),
        (
            {"v": ((None, 2), "f8", ("t", "x")), "w": ((4,), "f8", ("t",))},
            "the dimension 't' is to have 4 elements",
        ),
    ):
        with raises(ValueError, text):
            collio.array.open(comm, path, "w", arrays)
    with raises(ValueError, "allowed in HDF5: fixed lengths"):
        collio.array.open(comm, folder / "a.h5", "w", {"v": ((None, 2), "f8")})
    with raises(ValueError, "allowed: 1 to 1, or min_ndims above it"):
        collio.array.open(comm, path, "w", {"v": ((None, 4), "f8")}, subfiles=2, par_dim=0)
    with collio.array.open(comm, path, "w", ARRAYS) as file:
        with raises(ValueError, "'time' has records, record is None"):
            file.put("time", np.zeros(1))
        with raises(ValueError, "'still' has no records, record is 1"):
            file.put("still", np.zeros((6, 4), "i4"), record=1)
        with raises(ValueError, "'still' has no records, record is 0"):
            file.read("still", record=0)
        with raises(ValueError, "record is -1"):
            file.put("time", np.array(1.0), record=-1)
        with raises(TypeError, "record is 1.5; allowed: integers"):
            file.put("time", np.array(1.0), record=1.5)
        with raises(ValueError, "record is 0; allowed: None, as the file has no records yet"):
            file.read("time", record=0)
        put_step(comm, file, 0)
        file.commit(wait=True)
        with raises(ValueError, "record is 1; allowed: 0 to 0"):
            file.read("T", record=1)
        if comm.rank == 0:
            file.put("T", *part_of(comm, temperature(1)), record=1)
        with raises(ValueError, "without a commit") if comm.rank == 0 else raises(ValueError):
            file.close()
    same(collio.array.read(comm, path, "time"), [0.0])
