"""Engine "collio" of xarray: netCDF files that are kept in subfiles. xarray finds it by the entry point in pyproject.toml."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import netCDF4
import xarray
from xarray.backends import BackendEntrypoint, NetCDF4DataStore

from collio.subfiles.manifest import MARK
from collio.subfiles.reading import open_file

HDF5 = b"\x89HDF"


class CollioEngine(BackendEntrypoint):
    """NetCDF-4 by h5netcdf, which reads variables when they are used. Without it, and for netCDF-3, the whole file goes into memory."""

    description = "netCDF files that collio keeps in subfiles"
    open_dataset_parameters = ("filename_or_obj", "drop_variables")

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        try:
            with open(os.fspath(filename_or_obj), "rb") as file:
                return file.read(len(MARK)) == MARK
        except (OSError, TypeError):
            return False

    def open_dataset(self, filename_or_obj: Any, *, drop_variables: str | Iterable[str] | None = None, **decoders: Any) -> xarray.Dataset:
        """Raises ManifestError and OSError."""
        file = open_file(filename_or_obj)
        begin = file.read(len(HDF5))
        file.seek(0)
        if begin == HDF5 and find_spec("h5netcdf"):
            return xarray.open_dataset(file, engine="h5netcdf", drop_variables=drop_variables, **decoders)
        with file:
            data = netCDF4.Dataset(os.fspath(filename_or_obj), memory=file.read())
        return xarray.open_dataset(NetCDF4DataStore(data), drop_variables=drop_variables, **decoders)  # type: ignore[no-untyped-call]
