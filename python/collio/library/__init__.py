"""collio as a library for Python: declared I/O over libcollio.so, with mpi4py and NumPy.

A program says once which elements of an array a rank has (a decomposition), and where the array lies in a
file (a variable). From then on a rank puts whatever data it has, and one collective commit writes it all.
`collio.open` and the other names below are also names of the package `collio`.
"""

from __future__ import annotations

from .decomposition import Decomposition, box, load, map
from .errors import AccessError, ArgumentError, Error, ExistsError, NotFoundError, PeerError
from .file import File, open
from .request import Request
from .variable import Variable

__all__ = [
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
]
