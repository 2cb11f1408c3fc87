"""Reader of the E3SM-IO benchmark's decomposition files.

netCDF CDF-5: dimension decomp_nprocs; for i = 1, 2, …: D<i>.nreqs(decomp_nprocs), D<i>.offsets and
D<i>.lengths, requests of all ranks one after the other, in elements; global attribute D<i>.dims, the
variable's shape. Requests of a rank may come in any order; here they are sorted and joined, as the benchmark
does before it writes.
"""

from __future__ import annotations

import os
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .mapset import Decomposition, MapError, MapSet, assemble, coalesce

if TYPE_CHECKING:
    import netCDF4

FORMATS = ("CDF5", "NETCDF3_64BIT_DATA", "NETCDF3_64BIT_OFFSET", "NETCDF3_CLASSIC")


def find_real_maps() -> dict[str, Path]:
    """Real maps at hand, by file name: in COLLIO_E3SM_MAPS, else in ../shared/data/e3sm beside the source
    tree. May be empty."""
    beside = Path(__file__).resolve().parents[4] / "shared" / "data" / "e3sm"
    folder = Path(os.environ.get("COLLIO_E3SM_MAPS") or beside)
    return {path.name: path for path in sorted(folder.glob("map_*.nc"))} if folder.is_dir() else {}


def read_map(path: str | Path) -> MapSet:
    """All decompositions of a file, for the number of ranks it was made for; see deal_out for others. Raises
    MapError."""
    try:
        import netCDF4
    except ImportError as error:
        raise MapError(f"{path}: reading a netCDF map needs the Python package netCDF4 ({error})") from error
    if not Path(path).is_file():
        raise MapError(f"{path}: no such file")
    try:
        with netCDF4.Dataset(str(path)) as file:
            file.set_auto_mask(False)
            return _read_open(str(path), file)
    except MapError:
        raise
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        size = Path(path).stat().st_size
        raise MapError(
            f"{path}: not a readable netCDF file ({size} bytes: truncated, corrupt or another format): "
            f"{error}"
        ) from error


def _read_open(path: str, file: netCDF4.Dataset) -> MapSet:
    if file.data_model not in FORMATS:
        raise MapError(f"{path}: format {file.data_model}; allowed: {', '.join(FORMATS)}")
    if "decomp_nprocs" not in file.dimensions:
        raise MapError(
            f"{path}: has no dimension 'decomp_nprocs'; a decomposition file of the E3SM-IO benchmark has one"
        )
    ranks = len(file.dimensions["decomp_nprocs"])
    if ranks < 1:
        raise MapError(f"{path}: decomp_nprocs is {ranks}; allowed: 1 or more")
    number = 0
    while f"D{number + 1}.nreqs" in file.variables:
        number += 1
    declared = len(file.dimensions["num_decomp"]) if "num_decomp" in file.dimensions else number
    if number == 0 or number != declared:
        raise MapError(
            f"{path}: num_decomp is {declared}, but variables D<i>.nreqs without a gap go to {number}; "
            "allowed: 1 or more, all there"
        )
    return MapSet(tuple(_read_one(path, file, f"D{k + 1}", ranks) for k in range(number)), path)


def _values(path: str, file: netCDF4.Dataset, name: str) -> np.ndarray:
    if name not in file.variables:
        raise MapError(f"{path}: has no variable {name!r}")
    values = np.asarray(file.variables[name][...])
    if values.dtype.kind not in "iu" or values.ndim != 1:
        raise MapError(
            f"{path}: {name} has type {values.dtype} and {values.ndim} dimensions; allowed: integers in one "
            "dimension"
        )
    return values.astype(np.int64)


def _read_one(path: str, file: netCDF4.Dataset, name: str, ranks: int) -> Decomposition:
    counts = _values(path, file, f"{name}.nreqs")
    offsets, lengths = _values(path, file, f"{name}.offsets"), _values(path, file, f"{name}.lengths")
    if counts.size != ranks:
        raise MapError(f"{path}: {name}.nreqs has {counts.size} values for {ranks} ranks (decomp_nprocs)")
    if offsets.size != lengths.size:
        raise MapError(
            f"{path}: {name}.offsets has {offsets.size} values, {name}.lengths {lengths.size}; they must "
            "agree"
        )
    if counts.min() < 0:
        raise MapError(
            f"{path}: {name}.nreqs of rank {int(counts.argmin())} is {int(counts.min())}; allowed: 0 or more"
        )
    if counts.sum() != offsets.size:
        raise MapError(
            f"{path}: {name}.nreqs adds up to {int(counts.sum())} requests, {name}.offsets has {offsets.size}"
        )
    dims = _dims(path, file, name, offsets, lengths)
    runs = np.column_stack((offsets, lengths))
    as_stored = Decomposition(name, dims, counts, runs)
    _check_values(path, as_stored)
    parts = np.split(runs, np.cumsum(counts)[:-1])
    decomposition = assemble(name, dims, [coalesce(part) for part in parts])
    decomposition.check(path)
    return decomposition


def _dims(
    path: str, file: netCDF4.Dataset, name: str, offsets: np.ndarray, lengths: np.ndarray
) -> tuple[int, ...]:
    if f"{name}.dims" not in file.ncattrs():
        return (max(1, int((offsets + lengths).max(initial=0))),)
    dims = tuple(int(v) for v in np.atleast_1d(file.getncattr(f"{name}.dims")))
    if not 1 <= len(dims) <= 4 or min(dims) < 1 or prod(dims) >= 2**62:
        raise MapError(f"{path}: attribute {name}.dims is {list(dims)}; allowed: 1 to 4 values of 1 or more")
    return dims


def _check_values(path: str, d: Decomposition) -> None:
    """Offsets and lengths one by one, naming the rank, before sorting mixes them."""
    offsets, lengths = d.runs[:, 0], d.runs[:, 1]
    wrong = (offsets < 0) | (lengths < 1) | (offsets > d.elements - lengths)
    if wrong.any():
        at = int(wrong.argmax())
        rank = int(np.searchsorted(np.cumsum(d.counts), at, side="right"))
        raise MapError(
            f"{path}: {d.name} request {at} (rank {rank}) has offset {int(offsets[at])} and length "
            f"{int(lengths[at])}; "
            f"allowed: offset 0 or more, length 1 or more, ending by {d.elements} (dims "
            f"{' x '.join(map(str, d.dims))})"
        )
