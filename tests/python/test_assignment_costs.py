"""collio's linear assignment against SciPy's: random matrices with ties, of all shapes, and degenerate
ones."""

import os
import random
import subprocess
from pathlib import Path

import pytest

numpy = pytest.importorskip("numpy")
optimize = pytest.importorskip("scipy.optimize")

BUILD = Path(os.environ.get("COLLIO_BUILD") or Path(__file__).resolve().parents[2] / "build")
MATRICES = 4000


@pytest.fixture(scope="module")
def program():
    found = sorted(BUILD.glob("*/bin/collio_assignment_costs"))
    if not found:
        pytest.skip("the unit tests are not built")
    return found[0]


def solve(program, matrices):
    """[(cost, column of every row)] of collio."""
    text = "\n".join(f"{m.shape[0]} {m.shape[1]} {' '.join(map(str, m.ravel().tolist()))}" for m in matrices)
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=120, check=True)
    lines = [list(map(int, line.split())) for line in done.stdout.splitlines()]
    assert len(lines) == len(matrices)
    return [(line[0], line[1:]) for line in lines]


def random_matrix(dice):
    rows, columns = dice.randrange(1, 25), dice.randrange(1, 25)
    if dice.random() < 0.4:
        columns = rows
    kind = dice.choice(("wide", "ties", "equal", "negative", "huge", "rank one", "with zeros"))
    draw = numpy.random.default_rng(dice.randrange(1 << 30))
    shape = (rows, columns)
    if kind == "ties":
        return draw.integers(0, 4, shape)
    if kind == "equal":
        return numpy.full(shape, int(draw.integers(-5, 6)))
    if kind == "negative":
        return draw.integers(-1000, 1, shape)
    if kind == "huge":  # below 2^53 in all, so that SciPy's doubles are exact
        return draw.integers(0, 1 << 47, shape)
    if kind == "rank one":
        return numpy.outer(draw.integers(0, 50, rows), draw.integers(0, 50, columns))
    values = draw.integers(0, 1_000_000, shape)
    return values * (draw.random(shape) < 0.5) if kind == "with zeros" else values


def check(matrix, answer):
    cost, columns = answer
    rows, best = optimize.linear_sum_assignment(matrix)
    taken = [column for column in columns if column >= 0]
    assert len(taken) == len(set(taken)) == min(matrix.shape) and len(columns) == matrix.shape[0], matrix
    assert cost == sum(int(matrix[row, column]) for row, column in enumerate(columns) if column >= 0), matrix
    assert cost == int(matrix[rows, best].sum()), matrix


def test_random_matrices_cost_what_scipy_says(program):
    seed = random.randrange(1 << 30)
    print("seed", seed)
    dice = random.Random(seed)
    matrices = [random_matrix(dice) for _ in range(MATRICES)]
    for matrix, answer in zip(matrices, solve(program, matrices)):
        check(matrix, answer)


@pytest.mark.parametrize("shape", [(256, 256), (200, 500), (500, 200), (1, 300), (300, 1)])
def test_large_matrices_cost_what_scipy_says(program, shape):
    draw = numpy.random.default_rng(7)
    # The last kind makes shortest paths long: every row likes the same columns.
    matrices = [
        draw.integers(0, 1 << 40, shape),
        draw.integers(0, 3, shape),
        numpy.outer(numpy.arange(1, shape[0] + 1), numpy.arange(1, shape[1] + 1)),
    ]
    for matrix, answer in zip(matrices, solve(program, matrices)):
        check(matrix, answer)
