"""Reading and editing launch commands."""

import shlex

import pytest

from collio import launch_line


@pytest.fixture(autouse=True)
def programs_on_path(tmp_path, monkeypatch):
    for name in ("app", "other", "node", "mpiexec", "mpirun", "srun", "env", "timeout", "numactl"):
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


@pytest.mark.parametrize("command, launcher, programs", [
    ("mpiexec -n 4 app in.nc", "mpiexec", ["app"]),
    ("mpirun --map-by node -n 4 app", "mpirun", ["app"]),
    ("mpirun --mca btl self,vader -x A=1 -np 4 app", "mpirun", ["app"]),
    ("mpiexec -genv A 1 -n 4 env B=2 numactl -m 0 app -v", "mpiexec", ["app"]),
    ("mpiexec -n 2 app : -n 1 other", "mpiexec", ["app", "other"]),
    ("timeout 60 mpiexec -n 4 app", "mpiexec", ["app"]),
    ("env A=1 timeout -s TERM 60 mpirun -n 4 app", "mpirun", ["app"]),
    ("srun -n 4 --mpi=pmi2 app", "srun", ["app"]),
    ("mpiexec --new-option word -n 4 app", "mpiexec", ["app"]),
    ("mpiexec -n 4 missing", "mpiexec", []),
    ("app mpiexec", None, ["app"]),
])
def test_launcher_and_programs(command, launcher, programs):
    line = launch_line.read_launch_line(shlex.split(command))
    assert line.launcher_word == launcher
    assert [path.name for path in launch_line.programs(line)] == programs


@pytest.mark.parametrize("word, expected", [
    ("mpiexec", True), ("/opt/x/bin/mpirun", True), ("mpiexec.hydra", True), ("mpirun-openmpi-gcc", True), ("prterun", True),
    ("mpicc", False), ("mpiexecutor", False), ("srun", True),
])
def test_launcher_names(word, expected):
    assert launch_line.is_launcher(word) is expected


@pytest.mark.parametrize("first, rest, joined", [
    ("a.so", None, "a.so"), ("a.so", "", "a.so"), ("a.so", "b.so c.so", "a.so:b.so:c.so"), ("a.so", "b.so:a.so", "a.so:b.so"),
])
def test_preloads_are_kept(first, rest, joined):
    assert launch_line.join_preload(first, rest) == joined


@pytest.mark.parametrize("command, edited, by_option", [
    ("mpirun -x LD_PRELOAD=b.so -n 1 app", "mpirun -x LD_PRELOAD=a.so:b.so -n 1 app", True),
    ("mpirun -x LD_PRELOAD -n 1 app", "mpirun -x LD_PRELOAD=a.so -n 1 app", True),
    ("mpiexec -genv LD_PRELOAD b.so app", "mpiexec -genv LD_PRELOAD a.so:b.so app", True),
    ("mpiexec -n 1 env LD_PRELOAD=b.so app", "mpiexec -n 1 env LD_PRELOAD=a.so:b.so app", False),
    ("mpiexec -n 1 app LD_PRELOAD=b.so", "mpiexec -n 1 app LD_PRELOAD=b.so", False),
])
def test_assignments_in_the_command(command, edited, by_option):
    words, found = launch_line.edit_assignments(shlex.split(command), "LD_PRELOAD", "a.so")
    assert (shlex.join(words), found) == (edited, by_option)
