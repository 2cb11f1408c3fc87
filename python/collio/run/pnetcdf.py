"""PnetCDF's choice of driver: since 1.15 its default, GIO, makes no MPI-IO call, so that collio would see
none.

PNETCDF_HINTS is PnetCDF's own variable: `key=value;key=value`.
"""

from __future__ import annotations

from collections.abc import Mapping

VARIABLE = "PNETCDF_HINTS"
_KEY, _DRIVER = "nc_driver", "mpiio"


def with_driver(hints: str) -> str:
    """A value of PNETCDF_HINTS with MPI-IO as the driver, unless it names one."""
    return (
        hints
        if own_driver(hints)
        else ";".join([*filter(None, [hints.strip().rstrip(";")]), f"{_KEY}={_DRIVER}"])
    )


def own_driver(hints: str) -> str | None:
    """The driver that a value of PNETCDF_HINTS names, or None."""
    pairs = (part.partition("=") for part in hints.split(";"))
    return next((value.strip() for key, _, value in pairs if key.strip() == _KEY), None)


def variables(environ: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """What the ranks need so that PnetCDF calls MPI-IO, and what to say of it."""
    own = environ.get(VARIABLE, "")
    chosen = own_driver(own)
    if chosen == _DRIVER:
        return {VARIABLE: own}, f"{VARIABLE} chooses {_KEY}={_DRIVER} already"
    if chosen:
        return (
            {VARIABLE: own},
            f"{VARIABLE} chooses {_KEY}={chosen}, which stays; collio sees PnetCDF's calls with "
            f"{_KEY}={_DRIVER} only",
        )
    return {VARIABLE: with_driver(own)}, f"{VARIABLE} gets {_KEY}={_DRIVER}, so that PnetCDF calls MPI-IO"
