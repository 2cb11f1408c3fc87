"""The presets among the machine files, and machines by name."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from collio import machine_file
from collio.machine_file import (
    Graph,
    MachineFileError,
    expand,
    large_preset_names,
    load_machine,
    parse,
    preset_names,
)
from good_machine import TOML, values

ROOT = Path(__file__).resolve().parents[2]

PRESETS = {
    "dragonfly-small": (12, 2, "dragonfly", 0),
    "pair": (2, 2, "switch", 0),
    "rack4x2": (8, 2, "tree", 0),
    "torus-3x3": (9, 2, "torus", 0),
    "tree-oversubscribed": (8, 4, "tree", 4),
}


LARGE = {
    "cori-knl": (9984, 64),
    "frontier": (9856, 56),
    "mira": (49152, 16),
    "perlmutter": (3072, 128),
    "theta": (4608, 64),
}


def test_names_of_presets():
    assert preset_names() == sorted(PRESETS)
    assert large_preset_names() == sorted(LARGE)


@pytest.mark.parametrize("name", LARGE)
def test_large_presets(name):
    machine = load_machine(name)
    assert machine.name == name and (len(machine.nodes), machine.nodes[0].ranks) == LARGE[name]
    assert machine.network.numbers() and {"targets", "stripe", "target_rate"} <= machine.costs.keys()
    with pytest.raises(MachineFileError, match="too many to write out; allowed here is 1..1024"):
        expand(machine)


@pytest.mark.parametrize("name", LARGE)
def test_large_presets_tell_the_source_of_every_number(name):
    """A comment stands above every number of the network and of the costs, or above the lines it is one
    of."""
    lines = (Path(machine_file.presets.FOLDER) / "large" / f"{name}.toml").read_text().splitlines()
    told = False
    for line in lines[lines.index("[nodes]") :]:
        told = line.startswith("#") or (told and bool(line))
        assert told or not line or line.startswith(("[", "shape")) or line == 'latency = "0.5us"', line


def test_costs_of_a_machine_file():
    machine = parse(values(costs={"copy": "2GB/s", "targets": 4, "asynchronous": False}), "file")
    assert (
        machine.costs == {"copy": 2e9, "targets": 4, "asynchronous": False}
        and parse(values(), "file").costs == {}
    )
    for costs, told in (
        ({"coppy": "1GB/s"}, "costs.coppy: no such key; did you mean costs.copy?"),
        ({"copy": 3}, 'costs.copy: "3" is no rate'),
        ({"targets": 0}, 'costs.targets: "0" is not allowed; allowed is an integer'),
    ):
        with pytest.raises(MachineFileError) as error:
            parse(values(costs=costs), "file")
        assert told in str(error.value)


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name):
    graph = expand(load_machine(name))
    nodes, ranks, shape, targets = PRESETS[name]
    assert (
        graph.name == name
        and len(graph.nodes) == nodes
        and {node.ranks for node in graph.nodes} == {ranks}
        and graph.shape == shape
    )
    assert len(graph.storage.targets if graph.storage else ()) == targets
    for source in range(nodes):
        for destination in range(nodes):
            assert machine_file.hops(graph, source, destination) < graph.vertices
    assert Graph.from_json(graph.to_json()) == graph


def test_machines_by_name_or_path(tmp_path):
    Path("pair").write_text(TOML)  # the working directory of the test
    assert load_machine("pair").name == "pair"
    assert load_machine("./pair").name == "two" and load_machine(Path("pair").resolve()).name == "two"
    with pytest.raises(MachineFileError) as error:
        load_machine("piar")
    assert (
        str(error.value) == "piar: no such file, and no preset; did you mean pair? presets are "
        f"{', '.join([*sorted(PRESETS), *sorted(LARGE)])}"
    )


def test_presets_are_installed(tmp_path):
    """A built package has them: they are data, which setuptools leaves out unless told."""
    pytest.importorskip("setuptools", minversion="64")  # as pyproject.toml asks for
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(
        ROOT / "python", tmp_path / "python", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__")
    )
    build = [
        sys.executable,
        "-c",
        "from setuptools import setup; setup()",
        "-q",
        "build",
        "--build-lib",
        "out",
    ]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    assert sorted(
        path.stem for path in (tmp_path / "out/collio/machine_file/presets").rglob("*.toml")
    ) == sorted({**PRESETS, **LARGE})
