"""What collio raises: one class for each kind of failure, with the code of collio.h, an errno and the
library's text.

Where Python has a class for the failure, collio's is one of its kind too: a program may catch
FileNotFoundError or ValueError.
"""

from __future__ import annotations

import errno


class Error(OSError):
    """A call of collio failed. After a collective call every rank has the same `code`.

    `code`: a name of collio.h without its prefix, as "NO_SPACE". `text`: what failed, where, and what to do.
    `errno`: the nearest one.
    """

    def __init__(self, text: str, code: str = "OTHER") -> None:
        super().__init__(_ERRNO.get(code, errno.EIO), text)
        self.code = code
        self.text = text

    def __str__(self) -> str:
        return f"{self.text} ({self.code})"

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return type(self), (self.text, self.code)


class ArgumentError(Error, ValueError):
    """An argument is wrong: ARGUMENT, DISPLACEMENT, TYPE."""


class NotFoundError(Error, FileNotFoundError):
    """There is no such file: NO_SUCH_FILE."""


class ExistsError(Error, FileExistsError):
    """There is such a file already: FILE_EXISTS."""


class AccessError(Error, PermissionError):
    """The file may not be accessed so: ACCESS, READ_ONLY."""


class PeerError(Error):
    """Another rank has left the file by an exception, so the collective call was not made. That rank printed
    its exception."""


# By the numbers of enum collio_code.
CODES = (
    "OK",
    "OTHER",
    "ARGUMENT",
    "DISPLACEMENT",
    "TYPE",
    "NOT_SAME",
    "NO_MEMORY",
    "BAD_FILE",
    "NO_SUCH_FILE",
    "FILE_EXISTS",
    "ACCESS",
    "READ_ONLY",
    "IN_USE",
    "IO",
    "QUOTA",
    "NO_SPACE",
)
_ERRNO = {
    "ARGUMENT": errno.EINVAL,
    "DISPLACEMENT": errno.EINVAL,
    "TYPE": errno.EINVAL,
    "NO_MEMORY": errno.ENOMEM,
    "BAD_FILE": errno.EINVAL,
    "NO_SUCH_FILE": errno.ENOENT,
    "FILE_EXISTS": errno.EEXIST,
    "ACCESS": errno.EACCES,
    "READ_ONLY": errno.EROFS,
    "IN_USE": errno.EBUSY,
    "QUOTA": errno.EDQUOT,
    "NO_SPACE": errno.ENOSPC,
}
_CLASSES: dict[str, type[Error]] = {
    "ARGUMENT": ArgumentError,
    "DISPLACEMENT": ArgumentError,
    "TYPE": ArgumentError,
    "NO_SUCH_FILE": NotFoundError,
    "FILE_EXISTS": ExistsError,
    "ACCESS": AccessError,
    "READ_ONLY": AccessError,
}


def error_of(number: int, text: str) -> Error:
    """The error of a code of enum collio_code."""
    code = CODES[number] if 0 <= number < len(CODES) else "OTHER"
    return _CLASSES.get(code, Error)(text or "collio gave no reason", code)
