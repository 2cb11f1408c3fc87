"""Words and limits of faults. Made by tools/generate_hints from src/policy/faults.def: change that file, then run make generate."""

from __future__ import annotations

POINTS = ("open", "read", "write", "sync")
POINTS_THAT_MOVE_BYTES = ("read", "write")
ERRORS = "ENOSPC EDQUOT EIO EFBIG EROFS EACCES EPERM EAGAIN EBADF EBUSY EINVAL EISDIR EMFILE ENOENT ENOMEM ENXIO EPIPE ESTALE ETIMEDOUT ETXTBSY".split()
LONGEST_S = 3600
MOST_INTERRUPTIONS = 1000
