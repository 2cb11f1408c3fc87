"""What one rank does with a file, or each its share, so that all ranks raise the same error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import Error, NotFoundError

_Found = TypeVar("_Found")


def from_first_rank(comm: Any, work: Callable[[], _Found], path: str) -> _Found:
    """What `work` on a file gives on rank 0; its exception is raised on all ranks. Collective."""
    found: _Found | Exception | None = None
    if comm.rank == 0:
        try:
            found = work()
        except Exception as error:
            found = as_raised(error, path)
    found = comm.bcast(found, root=0)
    if isinstance(found, Exception):
        raise found
    return found  # type: ignore[return-value]


def on_all_ranks(comm: Any, work: Callable[[], None], path: str) -> None:
    """Does this rank's work on a file; the exception of the lowest rank that has one is raised on all.
    Collective."""
    mine: Exception | None = None
    try:
        work()
    except Exception as error:
        mine = as_raised(error, path)
    errors = [error for error in comm.allgather(mine) if error]
    if errors:
        raise errors[0]


def as_raised(error: Exception, path: str) -> Exception:
    """An exception as this module raises it."""
    if isinstance(error, FileNotFoundError) and not isinstance(error, Error):
        return NotFoundError(f"{path}: {error.strerror or error}", "NO_SUCH_FILE")
    return error if isinstance(error, (ValueError, TypeError, Error)) else Error(f"{path}: {error}")
