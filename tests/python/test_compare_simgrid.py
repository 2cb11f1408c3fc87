"""The simulator's links against SimGrid: what is kept is what they are, and SimGrid, where it is installed,
says so still."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMPARE = runpy.run_path(str(ROOT / "bench/compare_simgrid"))
KEPT = [
    json.loads(line) for line in (ROOT / "bench/results/simulator/simgrid.jsonl").read_text().splitlines()
]


def messages_of(one):
    return COMPARE["traffics"](COMPARE["NETWORKS"][one["network"]][0])[one["traffic"]]


def own_times(one):
    try:
        return COMPARE["collio_times"](COMPARE["graph_of"](one["network"]), messages_of(one))
    except FileNotFoundError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("one", KEPT, ids=lambda one: f"{one['network']}: {one['traffic']}")
def test_links_are_as_fast_as_was_kept(one):
    assert max(own_times(one)) == pytest.approx(one["collio"]["last_s"], rel=1e-6), (
        "bench/compare_simgrid makes the results anew"
    )


def test_aggregation_and_lone_messages_are_as_fast_as_in_simgrid():
    assert all(abs(one["difference"]) < 1e-3 for one in KEPT if one["traffic"].startswith("alone"))
    differences = sorted(abs(one["difference"]) for one in KEPT if one["traffic"].startswith("aggregation"))
    assert differences[-1] < 0.12 and differences[-2] < 0.02


@pytest.mark.parametrize(
    "one",
    [one for one in KEPT if one["messages"] < 100],
    ids=lambda one: f"{one['network']}: {one['traffic']}",
)
def test_simgrid_says_so_still(one):
    pytest.importorskip("simgrid")
    times = COMPARE["simgrid_times"](COMPARE["graph_of"](one["network"]), messages_of(one))
    assert max(times) == pytest.approx(one["simgrid"]["last_s"], rel=1e-6)
