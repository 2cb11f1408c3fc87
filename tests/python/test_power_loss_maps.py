"""As test_power_loss.py, of saved decompositions: after a loss of power while one is saved again, the file is
the whole old one or the whole new one."""

import subprocess
from pathlib import Path

import pytest

import collio
from collio.builds import Build
from lab_power import check_every_loss, power  # noqa: F401

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def save(real_mpi, tmp_path):
    """Runs the program; with PIO's functions where libcollio_pio is built for this MPI."""
    libraries, sources = Build.of(real_mpi).root / "lib", PROGRAMS.parents[2]
    pio = (
        ["-DWITH_PIO", f"-I{sources / 'pio/include'}", "-lcollio_pio", "-lpnetcdf"]
        if (libraries / "libcollio_pio.so").is_file()
        else []
    )
    program = tmp_path / "saved_maps"
    subprocess.run(
        [
            real_mpi.mpicc,
            "-o",
            program,
            PROGRAMS / "saved_maps.c",
            f"-I{sources / 'include'}",
            f"-L{libraries}",
            *pio,
            "-lcollio",
            f"-Wl,-rpath,{libraries}",
        ],
        check=True,
    )

    def save(folder, steps):
        words = [
            real_mpi.mpiexec,
            "-n",
            "3",
            *(["--oversubscribe"] if real_mpi.family == "openmpi" else []),
            program,
            folder,
            steps,
        ]
        done = subprocess.run(
            [str(word) for word in words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, done.stdout

    return save


def contents(folder):
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(("mark-", "."))
    }


def test_a_saved_decomposition_is_the_old_or_the_new_one(power, save, tmp_path):
    wholes = []
    for steps in (1, 2):
        (tmp_path / str(steps)).mkdir()
        save(tmp_path / str(steps), steps)
        wholes.append(contents(tmp_path / str(steps)))
    old, new = wholes
    assert old.keys() == new.keys() and "own" in old and all(old[name] != new[name] for name in old)
    power.record()
    save(power.point, 2)
    assert contents(power.point) == new

    def what_is_wrong(mark):
        for name in old:
            path = power.point / name
            if not path.is_file():
                return f"{name} is gone"
            if path.read_bytes() not in ([new[name]] if mark == 2 else [old[name], new[name]]):
                return f"{name} is neither the old nor the new one"
        return ""

    assert check_every_loss(power, what_is_wrong) > 10


def test_a_file_in_subfiles_is_there_until_the_new_one_is(power, save, cli, tmp_path):
    wholes = []
    for steps in (1, 2):
        save(tmp_path, steps)
        wholes.append((tmp_path / "own").read_bytes())
    path = power.point / "own"
    power.record()
    save(power.point, 1)
    assert cli("split", path, "--subfiles", 2, "--unit", 100).exit_code == 0
    (power.point / "mark-3").touch()
    save(power.point, 2)
    assert path.read_bytes() == wholes[1] and not path.with_name("own.collio").exists()

    def what_is_wrong(_):
        try:
            with collio.open_file(path) as file:
                return "" if file.read() in wholes else "neither the old nor the new one"
        except OSError as error:
            return str(error)

    assert check_every_loss(power, what_is_wrong, first=3) > 10
