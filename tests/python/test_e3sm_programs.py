"""The C programs on maps written by Python: right bytes from good ones, a clear word and status 2 for bad
ones. One process each."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from collio import e3sm

BUILD = Path(os.environ.get("COLLIO_BUILD") or Path(__file__).resolve().parents[2] / "build")
TREES = sorted({path.parent for path in BUILD.glob("*/bin/collio_bench")})


@pytest.fixture(params=TREES or [None], ids=lambda tree: tree.parent.name if tree else "none")
def tree(request):
    if request.param is None:
        pytest.skip("collio_bench is not built")
    return request.param


@pytest.fixture
def good_map(tmp_path):
    path = tmp_path / "good.map"
    e3sm.write_binary(e3sm.generate(ne=2, levels=3, ranks=1, holes=0.3), path)
    return path


def run(tree, program, map_path, tmp_path, *more):
    command = [str(tree / program), "--map-binary", str(map_path), "--file", str(tmp_path / "data"), *more]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, cwd=tmp_path)


def test_bench_writes_and_reads_a_map_with_holes(tree, good_map, tmp_path):
    done = run(
        tree,
        "collio_bench",
        good_map,
        tmp_path,
        "--pattern",
        "e3sm",
        "--variables",
        "1,2,3",
        "--element-size",
        "8",
    )
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["hole_bytes"] > 0
    # An MPI library's own I/O may leave something in holes; the driver counts that apart and says so.
    assert [o["wrong_bytes"] for o in said["operations"]] == [0, 0]
    dirty_holes = sum(o["wrong_hole_bytes"] for o in said["operations"])
    assert said["verified"] is (dirty_holes == 0)
    assert done.returncode == (1 if dirty_holes else 0)
    maps = e3sm.read_binary(good_map)
    assert said["bytes"] == 8 * sum(n * maps[name].covered for name, n in (("D1", 1), ("D2", 2), ("D3", 3)))
    assert [o["operation"] for o in said["operations"]] == ["write", "read"]


@pytest.mark.parametrize("mode", ["mpiio", "floor"])
def test_bench_reads_a_file_it_prepares(tree, good_map, tmp_path, mode):
    done = run(
        tree, "collio_bench", good_map, tmp_path, "--pattern", "e3sm", "--operation", "read", "--mode", mode
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["verified"] is True


def test_checkpoint(tree, good_map, tmp_path):
    done = run(tree, "e3sm_checkpoint", good_map, tmp_path, "--variables", "1,0,2,1")
    assert done.returncode == 0, done.stderr
    written, read = (json.loads(line) for line in done.stdout.splitlines()[-2:])
    assert (written["phase"], written["verified"]) == ("write", None)
    assert (read["phase"], read["verified"]) == ("read", True)
    maps = e3sm.read_binary(good_map)
    assert written["bytes"] == 4 * (maps["D1"].covered + 2 * maps["D3"].covered + maps["D4"].covered)
    assert (tmp_path / "data").stat().st_size <= written["file_bytes"]
    assert (tmp_path / "data").read_bytes().startswith(b"atmosphere checkpoint: 4-byte elements")


BAD = {
    "empty": lambda data: b"",
    "other": lambda data: b"#!/bin/sh\n" * 20,
    "head": lambda data: data[:40],
    "cut": lambda data: data[:-8],
    "longer": lambda data: data + bytes(16),
    "version": lambda data: changed(data, 8, 7),
    "ranks": lambda data: changed(data, 16, 1 << 60),
    "negative": lambda data: changed(data, 24, -4),
    "dims": lambda data: changed(data, 32 + 24, 1 << 62),
    "counts": lambda data: changed(data, 32 + 4 * 64, -1),
    "offset": lambda data: changed(data, 32 + 4 * 64 + 4 * 8, 1 << 40),
    "length": lambda data: changed(data, 32 + 4 * 64 + 4 * 8 + 8, 0),
}


def changed(data, at, value):
    return data[:at] + np.int64(value).tobytes() + data[at + 8 :]


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("program", ["collio_bench", "e3sm_checkpoint"])
def test_bad_maps(tree, good_map, tmp_path, kind, program):
    bad = tmp_path / "bad.map"
    bad.write_bytes(BAD[kind](good_map.read_bytes()))
    more = (
        ["--pattern", "e3sm", "--variables", "1,1,1,1"]
        if program == "collio_bench"
        else ["--variables", "1,1,1,1"]
    )
    done = run(tree, program, bad, tmp_path, *more)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert program in done.stderr
    assert "bad.map" in done.stderr or "D1" in done.stderr
    assert not done.stdout.startswith("{")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--pattern", "e3sm", "--variables", "1,1,1,1,1"], "--variables"),
        (["--pattern", "e3sm", "--variables", "x"], "--variables"),
        (["--pattern", "e3sm", "--element-size", "3"], "--element-size is '3'; allowed: 4, 8"),
        (["--pattern", "e3sm", "--decomposition", "D7"], "allowed: D1, D2, D3, D4"),
        (["--pattern", "e3sn"], "--pattern is 'e3sn'; allowed: interleave, e3sm, contiguous"),
        (["--pattern", "interleave"], "--map-binary is no option"),
        (["--pattern", "e3sm", "--steps", "0"], "--steps is 0"),
        (["--pattern", "e3sm", "--hint", "cb_nodes"], "--hint is 'cb_nodes'; allowed: key=value"),
        (["--pattern", "e3sm", "--mode", "flour"], "allowed: mpiio, declared, pnetcdf, floor"),
    ],
)
def test_bad_arguments(tree, good_map, tmp_path, arguments, named):
    done = run(tree, "collio_bench", good_map, tmp_path, *arguments)
    assert done.returncode == 2
    assert named in done.stderr


def test_map_for_another_number_of_ranks(tree, tmp_path):
    e3sm.write_binary(e3sm.generate(ne=1, levels=1, ranks=3), tmp_path / "three.map")
    for program, more in (("collio_bench", ["--pattern", "e3sm"]), ("e3sm_checkpoint", [])):
        done = run(tree, program, tmp_path / "three.map", tmp_path, *more)
        assert done.returncode == 2
        assert "3 ranks" in done.stderr
