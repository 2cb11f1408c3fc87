"""collio: a collective I/O engine for MPI programs. `collio.open` and the other names of `collio.library`
load when they are used first."""

__version__ = "0.1.0"
_OF_LIBRARY = (
    "AccessError",
    "ArgumentError",
    "Decomposition",
    "Error",
    "ExistsError",
    "File",
    "NotFoundError",
    "PeerError",
    "Request",
    "Variable",
    "box",
    "load",
    "map",
    "open",
)

# `import *` keeps Python's own map and open
__all__ = [name for name in (*_OF_LIBRARY, "array", "open_file") if name not in ("map", "open")]


def __getattr__(name: str) -> object:
    """The library's names; NumPy is imported with them, mpi4py with the first file."""
    from importlib import import_module  # few need it

    if name == "array":
        return import_module("collio.library.arrays.array")
    if name == "open_file":
        return import_module("collio.subfiles.reading").open_file
    if name in _OF_LIBRARY:
        return getattr(import_module("collio.library"), name)
    raise AttributeError(f"module 'collio' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_OF_LIBRARY, "array", "open_file"])
