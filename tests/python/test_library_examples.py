"""The programs in examples/python run on several ranks of every MPI, and are short."""

import re
from pathlib import Path

import numpy as np
import pytest

from ranks import run_python

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/python"
MOST_LINES = 59


@pytest.fixture
def example(real_mpi, tmp_path):
    def run(name, *files, ranks=4):
        code, output = run_python(real_mpi, ranks, tmp_path, EXAMPLES / f"{name}.py", *files)
        assert code == 0, output
        return output

    return run


def test_hello(example, tmp_path):
    assert "[0 0 0 1 1 1 2 2 2 3 3 3]" in example("hello", "hello.raw")
    assert (tmp_path / "hello.raw").stat().st_size == 4 * 12 * 4


def test_restart_on_another_number_of_ranks(example, tmp_path):
    written = example("checkpoint", "heat.raw")
    read = example("restart", "heat.raw", ranks=3)
    total = f"{np.fromfile(tmp_path / 'heat.raw').reshape(5, 2, 64, 48)[4, 0].sum():.6f}"
    assert f"5 steps written, sum {total}" in written and f"step 5 of the file, sum {total}" in read


def test_particles(example, tmp_path):
    total = int(re.search(r"(\d+) particles", example("particles", "p.aos", "p.soa"))[1])
    structures = np.fromfile(tmp_path / "p.aos", [("x", "f8"), ("y", "f8"), ("number", "i4")])
    assert total == len(structures) and np.array_equal(structures["number"], np.arange(total))
    assert (tmp_path / "p.soa").read_bytes() == b"".join(
        structures[name].tobytes() for name in ("x", "y", "number")
    )


def test_overlap(example, tmp_path):
    assert "8 steps, 51 MB" in example("overlap", "steps.raw")
    steps = np.fromfile(tmp_path / "steps.raw").reshape(8, 200_000, 4)
    assert all(
        np.array_equal(steps[step, :, rank], np.sqrt(np.arange(200_000) + step))
        for step in range(8)
        for rank in range(4)
    )


@pytest.mark.parametrize("ending", ["h5", "nc"])
def test_array_file(example, tmp_path, ending):
    import netCDF4

    assert "10 x 24 numbers" in example("array_file", f"field.{ending}")
    with netCDF4.Dataset(tmp_path / f"field.{ending}") as file:
        wanted = np.concatenate([np.random.default_rng(rank).random((10, 6)) for rank in range(4)], axis=1)
        assert np.array_equal(file["temperature"][:], wanted) and file["temperature"].dimensions == ("y", "x")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples_are_short_and_tested(path):
    assert path.read_text().count("\n") <= MOST_LINES
    here = Path(__file__)
    in_tutorial = path.name in here.with_name("test_tutorial.py").read_text()
    assert in_tutorial or f'"{path.stem}"' in here.read_text()
