"""COLLIO_RANKS_PER_NODE: how many nodes its forms make of the ranks of one host, and what a wrong value
gives."""

import json

import pytest

RANKS = 5


@pytest.fixture
def opened(real_mpi, compiled, collio_process, tmp_path, monkeypatch):
    def run(value):
        monkeypatch.setenv("COLLIO_RANKS_PER_NODE", value)
        report = tmp_path / "r.json"
        done = collio_process(
            "run",
            "--report",
            report,
            "--",
            real_mpi.mpiexec,
            "-n",
            RANKS,
            compiled(real_mpi, "interleaved"),
            tmp_path / "data",
        )
        assert done.returncode == 0, done.stderr
        return done.stderr, json.loads(report.read_text())["files"] if report.exists() else []

    return run


@pytest.mark.parametrize("value, nodes", [("2", 3), ("cyclic:2", 2), ("0,1,1,0,2", 3), ("1,0", 2), ("", 1)])
def test_nodes_of_one_host(opened, value, nodes):
    _, files = opened(value)
    assert [file["nodes"] for file in files] == [nodes]


@pytest.mark.parametrize("value", ["0", "2x", "cyclic:0", "0,,1"])
def test_a_wrong_value_leaves_the_file_to_the_library(opened, value):
    said, files = opened(value)
    assert (
        f'COLLIO_RANKS_PER_NODE is "{value}"; allowed: the most ranks of a node (3), cyclic:NODES, or the '
        "node of each rank (0,1,1,0,2)" in said
    )
    assert not files
