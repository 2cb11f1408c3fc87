"""Where tools/test_wheel runs programs: an environment with the wheel and an MPI; what was written there."""

import filecmp
import json
import shutil
import subprocess
from pathlib import Path

RANKS = 4


TIMEOUT_S = 180


OWN_PATHS = ("two_layer", "two_phase", "independent")


class Failed(Exception):
    """A cell that does not pass; the message says why."""


class LeftOut(Exception):
    """A cell that cannot be tried here."""


class Place:
    """An environment with the wheel and an MPI. `programs`: tests/programs of the source tree. `pnetcdf`:
    prefixes of PnetCDF, `pythons`: interpreters with mpi4py and h5py, of any MPI each."""

    def __init__(self, mpi, folder: Path, programs: Path, pnetcdf=(), pythons=()):
        self.mpi, self.folder, self.programs, self.pnetcdf, self.pythons = (
            mpi,
            folder,
            programs,
            pnetcdf,
            pythons,
        )
        self.env = folder / "venv"
        self.collio = self.env / "bin" / "collio"
        header = self.env / "include" / "mpi_abi.h"
        if header.is_file():  # Intel's programs of the standard ABI are compiled with this as mpi.h
            (folder / "abi").mkdir()
            shutil.copy(header, folder / "abi" / "mpi.h")

    def filled(self, words) -> list:
        return [str(word).replace("{env}", str(self.env)) for word in words]

    def environ(self, preload=None) -> dict:
        environ = {
            "PATH": f"{self.env}/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            **self.mpi.environ,
        }
        environ.update({"MPI4PY_LIBMPI": self.mpi.library} if self.mpi.library else {})
        environ.update({"LD_PRELOAD": str(preload)} if preload else {})
        return environ

    def run(self, words, preload=None, **variables) -> str:
        """Output of a command that must succeed."""
        words = [str(word) for word in words]
        try:
            done = subprocess.run(
                words,
                env={**self.environ(preload), **variables},
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=TIMEOUT_S,
            )
        except subprocess.TimeoutExpired:
            raise Failed(f"{Path(words[0]).name} did not end within {TIMEOUT_S} s") from None
        if done.returncode != 0:
            raise Failed(f"{' '.join(words)} ended with {done.returncode}: {done.stdout[-600:]}")
        return done.stdout

    def launch(self, program) -> list:
        return [*self.filled([self.mpi.launcher]), "-n", RANKS, *program]

    def compile(self, source: str, *flags, compiler=None) -> Path:
        program = self.folder / f"{Path(source).stem}{'.linked' if flags else ''}"
        words = self.filled(compiler or self.mpi.compiler)
        libraries = [word for word in words if word.startswith("-l")]
        words = [word for word in words if not word.startswith("-l")]
        self.run([*words, "-O1", "-o", program, self.programs / source, *flags, *libraries, "-ldl"])
        return program


def same_bytes(place: Place, program, preload=None) -> str:
    """The program writes and reads, under collio and natively; the files are the same. Gives what was printed
    under collio."""
    ours, native, report = place.folder / "ours", place.folder / "native", place.folder / "report.json"
    for path in (ours, native, report):
        path.unlink(missing_ok=True)
    printed = place.run(
        [place.collio, "run", "--report", report, "--", *place.launch([*program, "write", ours])], preload
    )
    place.run(place.launch([*program, "read", ours]))
    place.run(place.launch([*program, "write", native]))
    if not filecmp.cmp(ours, native, shallow=False):
        raise Failed("the files differ")
    check_report(json.loads(report.read_text())["files"])
    return printed


def check_report(files: list) -> None:
    calls = [call for one in files for call in one["calls"]]
    if not any(call["bytes"] for call in calls):
        raise Failed("collio moved no byte")
    left = {call["path"] for call in calls} - set(OWN_PATHS)
    if left:
        raise Failed(f"calls were left to the MPI library: {', '.join(left)}")
