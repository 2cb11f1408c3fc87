"""Engine "collio" of xarray: netCDF files that are kept in subfiles, and masters of array subfiles. xarray
finds it by the entry point in pyproject.toml."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import netCDF4
import xarray
from xarray.backends import BackendArray, BackendEntrypoint, NetCDF4DataStore
from xarray.core import indexing

from collio.library.arrays import alone, cutting, subfile_set
from collio.library.arrays.subfile_set import Contents
from collio.subfiles.manifest import MARK
from collio.subfiles.reading import open_file

HDF5 = b"\x89HDF"


class CutArray(BackendArray):  # type: ignore[misc]
    """An array in subfiles. Each access maps the parts that it touches."""

    def __init__(self, path: str, contents: Contents, name: str) -> None:
        self._path, self._contents, self._name = path, contents, name
        self.shape = alone.shape_of(contents, name)
        self.dtype = contents.places[name].dtype

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: Any) -> Any:
        return alone.read(self._path, self._contents, self._name, key)


def is_master(path: str) -> bool:
    try:
        return subfile_set.look_at_master(path) is not None
    except ValueError:
        return False


def _without_marks(attributes: Any) -> dict[Any, Any]:
    """Attributes other than those of subfiles."""
    return {key: value for key, value in attributes.items() if not str(key).startswith(cutting.PREFIX)}


def open_master(
    path: str, drop_variables: str | Iterable[str] | None, decoders: dict[str, Any]
) -> xarray.Dataset:
    """A master as one dataset: what netCDF4 finds in it, with the arrays that are cut in place of their
    scalars. `path`: absolute, as arrays are read later, and no link. Raises Error and OSError."""
    contents = alone.look(path)
    own = xarray.open_dataset(path, engine="netcdf4", decode_cf=False)
    variables = {str(name): variable.copy(deep=False) for name, variable in own.variables.items()}
    for name, place in contents.places.items():
        if place.cut is not None:
            variables[name] = xarray.Variable(
                place.dimensions,
                indexing.LazilyIndexedArray(CutArray(path, contents, name)),
                variables[name].attrs,
            )
    for variable in variables.values():
        variable.attrs = _without_marks(variable.attrs)
    whole = xarray.Dataset(variables, attrs=_without_marks(own.attrs))
    decoded = xarray.decode_cf(
        whole,
        drop_variables=drop_variables,
        **{key: value for key, value in decoders.items() if value is not None},
    )
    decoded.encoding = dict(own.encoding)  # the dimension of records
    decoded.set_close(own.close)
    return decoded


class CollioEngine(BackendEntrypoint):
    """NetCDF-4 by h5netcdf, which reads variables when they are used. Without it, and for netCDF-3, the whole
    file goes into memory."""

    description = "netCDF files that collio keeps in subfiles, and masters of array subfiles"
    open_dataset_parameters = (
        "filename_or_obj",
        "drop_variables",
        "mask_and_scale",
        "decode_times",
        "concat_characters",
        "decode_coords",
        "use_cftime",
        "decode_timedelta",
    )

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        try:
            with open(os.fspath(filename_or_obj), "rb") as file:
                begin = file.read(len(MARK))
            return begin == MARK or (begin[:3] == b"CDF" and is_master(os.fspath(filename_or_obj)))
        except (OSError, TypeError):
            return False

    def open_dataset(
        self, filename_or_obj: Any, *, drop_variables: str | Iterable[str] | None = None, **decoders: Any
    ) -> xarray.Dataset:
        """Raises ManifestError, Error and OSError."""
        if is_master(os.fspath(filename_or_obj)):
            return open_master(os.path.realpath(os.fspath(filename_or_obj)), drop_variables, decoders)
        file = open_file(filename_or_obj)
        begin = file.read(len(HDF5))
        file.seek(0)
        if begin == HDF5 and find_spec("h5netcdf"):
            return xarray.open_dataset(file, engine="h5netcdf", drop_variables=drop_variables, **decoders)
        with file:
            data = netCDF4.Dataset(os.fspath(filename_or_obj), memory=file.read())
        return xarray.open_dataset(NetCDF4DataStore(data), drop_variables=drop_variables, **decoders)  # type: ignore[no-untyped-call]
