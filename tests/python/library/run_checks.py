"""Runs the checks of modules on all ranks: run_checks.py NAME[+NAME...] FOLDER [WORD...]; module
NAME_checks.py each.

A check is a function check_NAME(comm, folder) of the module; the folder is its own and empty. Rank 0 prints
"BEGIN NAME", then "PASS NAME" or "FAIL NAME" with what every failing rank has to say.
"""

import importlib
import sys
import traceback
from pathlib import Path

from mpi4py import MPI


def main():
    words = sys.argv[3:]
    comm = MPI.COMM_WORLD
    for module in sys.argv[1].split("+"):
        for name, check in vars(importlib.import_module(f"{module}_checks")).items():
            if name.startswith("check_") and (not words or name[6:] in words):
                run(comm, name[6:], check, Path(sys.argv[2]) / name[6:])


def run(comm, name, check, folder):
    if comm.rank == 0:
        folder.mkdir(parents=True)
        # in one piece: the launcher mixes in what goes to stderr
        print(f"BEGIN {name}\n", end="", flush=True)
    comm.Barrier()
    text = ""
    try:
        check(comm, folder)
    except BaseException:
        text = f"rank {comm.rank}: {traceback.format_exc()}"
    told = comm.gather(text)
    if comm.rank == 0:
        print(
            " ".join(["FAIL" if any(told) else "PASS", name, *filter(None, told)]) + "\n", end="", flush=True
        )


if __name__ == "__main__":
    main()
