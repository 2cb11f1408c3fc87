"""A job that writes a checkpoint and is killed leaves the old file or the new one, whole."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from collio.builds import Build
from ranks import environment

PYTHON = Path(__file__).resolve().parents[2] / "examples/python/checkpoint.py"
OLD = b"the checkpoint of before" * 100
KILLS = 4
# Each rank kills its program some time after the file or its successor has changed: FILE SECONDS PROGRAM...
KILL = """
file=$1; delay=$2; shift 2
"$@" & job=$!
while kill -0 $job 2>/dev/null && [ ! -e "$file.unfinished" ] && [ "$(stat -c %s "$file")" = SIZE ]
do sleep 0.01; done
sleep $delay
kill -9 $job && exit 9
wait $job
""".replace("SIZE", str(len(OLD)))


@pytest.mark.parametrize("language", ["c", "python"])
def test_a_killed_job_leaves_a_whole_checkpoint(real_mpi, tmp_path, language):
    program = (
        [Build.of(real_mpi).program("example_c_checkpoint")] if language == "c" else [sys.executable, PYTHON]
    )

    def job(path, *before, slow=False):
        words = [real_mpi.mpiexec, "-n", 2, *before, *program, path]
        faults = {"COLLIO_FAULTS": "all:write:delay=0.1/all:sync:delay=0.3"} if slow else {}
        done = subprocess.run(
            [str(word) for word in words],
            env={**environment(real_mpi, 2, tmp_path), **faults},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=100,
        )
        return done.returncode, done.stdout

    path, other = tmp_path / "checkpoint.raw", tmp_path / "other.raw"
    code, output = job(other)
    assert code == 0, output
    new, found = other.read_bytes(), []
    for seconds in (0, *(random.Random(7).random() for _ in range(KILLS))):
        path.write_bytes(OLD)
        job(path, "sh", "-c", KILL, "sh", path, f"{seconds:.2f}", slow=True)
        found.append(path.read_bytes())
        assert found[-1] in (OLD, new), f"killed after {seconds:.2f} s: {len(found[-1])} bytes"
    assert OLD in found
    code, output = job(path)
    assert code == 0, output
    assert path.read_bytes() == new and [file.name for file in tmp_path.glob("checkpoint*")] == [path.name]
