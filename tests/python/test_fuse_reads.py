"""Reads at the end of a file of a FUSE mount: Linux 6.18 tells io_uring there that it got all it asked
for."""

from collio.builds import Build
from collio.lab.targets import TargetSpec, start_target
from lab_target import MB, memory, program  # noqa: F401


def test_reads_end_where_the_file_does(program, memory, real_mpi, collio_process, tmp_path):
    fuzz = Build.of(real_mpi).program("collio_fuzz")
    with start_target(program, TargetSpec("t", 500 * MB), tmp_path / "t", memory) as target:
        for hints in ("", "collio_storage=uring"):
            done = collio_process(
                "run",
                "--mpi",
                real_mpi.id,
                *(["--set", hints] if hints else []),
                "--",
                real_mpi.mpiexec,
                "-n",
                4,
                fuzz,
                "--dir",
                target.mountpoint,
                "--seed",
                3,
                "--cases",
                8,
                "--no-native",
                "--require-collio",
            )
            assert done.returncode == 0, done.stdout + done.stderr
