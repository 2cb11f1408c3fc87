"""Reading and editing launch commands."""

import shlex

import pytest

from collio.run import launch_line


@pytest.fixture(autouse=True)
def programs_on_path(tmp_path, monkeypatch):
    for name in (
        "app",
        "other",
        "node",
        "mpiexec",
        "mpirun",
        "srun",
        "flux",
        "jsrun",
        "aprun",
        "env",
        "timeout",
        "numactl",
    ):
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


@pytest.mark.parametrize(
    "command, launcher, programs",
    [
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
        ("flux run -N 2 -n 4 -g 1 app in.nc", "flux", ["app"]),
        ("flux mini submit --env=A=1 -n 4 app", "flux", ["app"]),
        ("timeout 60 flux run app", "flux", ["app"]),
        ("flux jobs", None, ["flux"]),
        ("jsrun -n 2 -a 1 -c 7 -d packed -E A=1 app : -n 1 other", "jsrun", ["app", "other"]),
        ("aprun -n 2 -d 4 -cc depth -e A=1 app : -n 1 other", "aprun", ["app", "other"]),
        ("mpiexec --env A=1 --np=2 --ppn 2 -d 8 --cpu-bind list:0:8 app", "mpiexec", ["app"]),
    ],
)
def test_launcher_and_programs(command, launcher, programs):
    line = launch_line.read_launch_line(shlex.split(command))
    assert line.launcher_word == launcher
    assert [path.name for path in launch_line.programs(line)] == programs


@pytest.mark.parametrize(
    "word, expected",
    [
        ("mpiexec", True),
        ("/opt/x/bin/mpirun", True),
        ("mpiexec.hydra", True),
        ("mpirun-openmpi-gcc", True),
        ("prterun", True),
        ("mpicc", False),
        ("mpiexecutor", False),
        ("srun", True),
    ],
)
def test_launcher_names(word, expected):
    assert launch_line.is_launcher(word) is expected


@pytest.mark.parametrize(
    "first, rest, joined",
    [
        ("a.so", None, "a.so"),
        ("a.so", "", "a.so"),
        ("a.so", "b.so c.so", "b.so:c.so:a.so"),
        ("a.so", "b.so:a.so", "b.so:a.so"),
        ("a.so:y.so", "b.so:/x/libmpi.so.12:c.so", "b.so:a.so:y.so:/x/libmpi.so.12:c.so"),
        ("a.so", "libmpich.so.12", "a.so:libmpich.so.12"),
        ("a.so", "libmpiP.so", "libmpiP.so:a.so"),
    ],
)
def test_preloads_are_kept(first, rest, joined):
    assert launch_line.join_preload(first, rest) == joined


@pytest.mark.parametrize(
    "kind, command, edited",
    [
        ("openmpi", "mpirun -x LD_PRELOAD=b.so -n 1 app", "mpirun -x LD_PRELOAD=b.so:a.so -n 1 app"),
        ("openmpi", "mpirun -x LD_PRELOAD -n 1 app", "mpirun -x LD_PRELOAD=a.so -n 1 app"),
        ("hydra", "mpiexec -genv LD_PRELOAD b.so app", "mpiexec -genv LD_PRELOAD b.so:a.so app"),
        ("hydra", "mpiexec -n 1 env LD_PRELOAD=b.so app", "mpiexec -n 1 env LD_PRELOAD=b.so:a.so app"),
        ("hydra", "mpiexec -n 1 app LD_PRELOAD=b.so", "mpiexec -n 1 app LD_PRELOAD=b.so"),
        ("flux", "flux run --env=LD_PRELOAD=b.so app", "flux run --env=LD_PRELOAD=b.so:a.so app"),
        ("flux", "flux run --env LD_PRELOAD app", "flux run --env LD_PRELOAD app"),
        ("jsrun", "jsrun -E LD_PRELOAD=b.so app", "jsrun -E LD_PRELOAD=b.so:a.so app"),
        ("pals", "mpiexec --env LD_PRELOAD=b.so app", "mpiexec --env LD_PRELOAD=b.so:a.so app"),
    ],
)
def test_assignments_in_the_command(kind, command, edited):
    words = launch_line.edit_assignments(
        shlex.split(command), "LD_PRELOAD", lambda own: launch_line.join_preload("a.so", own), kind
    )
    assert shlex.join(words) == edited


@pytest.mark.parametrize(
    "command, options",
    [
        ("mpirun -x A=1 -np 4 app -x B=2 : -n 1 other", ["-x A=1 -np 4", "-n 1"]),
        ("srun --export=NONE -n 4 app --export=ALL", ["--export=NONE -n 4"]),
        ("flux run -g 1 --env=-x app", ["-g 1 --env=-x"]),
        ("mpiexec --env A=1 -genv B 2 app", ["--env A=1 -genv B 2"]),
        ("app -x A=1", [""]),
    ],
)
def test_options_end_before_the_program(command, options):
    line = launch_line.read_launch_line(shlex.split(command))
    assert [shlex.join(line.words[begin:end]) for begin, end in line.options] == options
