"""`collio plan`: shapes and machine files as the planner's arguments, and what it says of policies."""

import json
import runpy
from pathlib import Path

import pytest

from collio.plan import machines, program
from collio.plan.errors import PlanError

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results" / "placement"
EXPERIMENTS = runpy.run_path(str(ROOT / "bench" / "measure_placement"), run_name="experiments")
TREE = "tree:4x20,link=40Gbit/s,uplink=20Gbit/s"


@pytest.fixture
def planner():
    try:
        return program.find_program(program.PLAN)
    except PlanError as error:
        pytest.skip(str(error))


def test_shapes_become_numbers():
    assert machines.shape_arguments("tree:4x20,link=40Gbit/s,uplink=20Gbit/s,latency=2us") == [
        "--shape",
        "tree",
        "--sizes",
        "4,20",
        "--rates",
        "5000000000,2500000000",
        "--latencies",
        "2e-06,2e-06",
    ]
    assert machines.shape_arguments("torus:4x4x4,link=2GB/s")[3:6] == ["4,4,4", "--rates", "2000000000"]
    rates = machines.shape_arguments("dragonfly:8x4x2,link=8Gbit/s,global=4Gbit/s")[5]
    assert rates == "1000000000,1000000000,500000000", "a link that is not named is as the nodes' links"


@pytest.mark.parametrize(
    "text, told",
    [
        ("tree:4", "allowed: RACKSxNODES"),
        ("tree:4xb", "allowed: RACKSxNODES"),
        ("switch:4x4", "allowed: NODES"),
        ("tree:4x4,spine=1Gbit/s", "allowed: link=RATE, uplink=RATE, latency=TIME"),
        ("tree:4x4,link=fast", '"fast" is no rate'),
    ],
)
def test_what_is_no_shape_is_named(text, told):
    with pytest.raises(PlanError, match=told.replace("(", "[(]")):
        machines.shape_arguments(text)


def test_a_machine_that_is_nothing_is_told_what_there_is(tmp_path):
    with pytest.raises(PlanError, match="no such file; shapes are switch:NODES, tree:RACKSxNODES"):
        machines.plan_machine("tre:4x20", tmp_path)


def test_a_plan_of_a_machine_file(planner, cli):
    done = cli(
        "plan",
        "--machine",
        "tree-oversubscribed",
        "--pattern",
        "interleave",
        "--ranks",
        32,
        "--json",
        "--pieces",
        "1000",
    )
    assert done.exit_code == 0, done.output
    document = json.loads(done.output)
    assert document["job"] == {"ranks": 32, "nodes": 8, "span_bytes": 1024000, "bytes": 1024000}
    assert [row["assignment"] for row in document["assignments"]] == [
        "in_order",
        "locality_aware",
        "least_hop_bytes",
        "least_congestion",
    ]
    assert [row["who"] for row in document["who"]][-5:] == [
        "greedy",
        "shortest_path",
        "longest_path",
        "topology_aware",
        "contention_aware",
    ]
    assert [row["cut"] for row in document["cuts"]] == [
        "even",
        "aligned",
        "static_cyclic",
        "group_cyclic",
        "balanced",
    ]
    assert document["parameters"]["stripes"] == "4", "the machine has four targets"
    assert document["assignments"][0]["busiest_link"]["name"] == "rack0 -> node0", (
        "less than a unit is one domain"
    )
    assert "with_storage" in document["assignments"][0]


def test_a_plan_is_tables(planner, cli):
    done = cli(
        "plan", "--machine", TREE, "--pattern", "cube", "--ranks", 512, "--ranks-per-node", 12, "--n", 2000
    )
    assert done.exit_code == 0, done.output
    assert (
        "512 ranks on 43 of 80 nodes of tree" in done.output and "auto takes least_hop_bytes" in done.output
    )
    assert "left out: group_cyclic" in done.output


def test_a_map_file_is_planned_as_it_is_measured(planner, cli):
    done = cli(
        "plan",
        "--machine",
        "rack4x2",
        "--pattern",
        "e3sm",
        "--ranks",
        8,
        "--json",
        "--ne",
        4,
        "--levels",
        3,
        "--variables",
        "2,0,5",
    )
    assert done.exit_code == 0, done.output
    job = json.loads(done.output)["job"]
    columns = 6 * 4 * 4 * 9 + 2
    assert job["bytes"] == job["span_bytes"] == 4 * (2 * columns + 5 * columns * 3)


@pytest.mark.parametrize(
    "words, told",
    [
        (["--machine", TREE, "--pattern", "cube", "--ranks", 4], "--ranks-per-node does"),
        (
            ["--machine", "tree-oversubscribd", "--pattern", "cube", "--ranks", 4],
            "did you mean tree-oversubscribed",
        ),
        (["--machine", "pair", "--pattern", "sphere", "--ranks", 4], "allowed: interleave"),
        (["--machine", "pair", "--pattern", "cube", "--ranks", 4, "--pieces", 3], "--pieces"),
        (["--machine", "pair", "--pattern", "cube", "--ranks", 400], "allowed: at most the machine's 2"),
        (
            [
                "--machine",
                "pair",
                "--pattern",
                "cube",
                "--ranks",
                4,
                "--cut",
                "static_cyclic",
                "--unit",
                1,
                "--n",
                1024,
            ],
            "more than 1048576 units",
        ),
    ],
)
def test_what_cannot_be_planned_is_a_line(planner, cli, words, told):
    done = cli("plan", *words)
    assert done.exit_code != 0 and told in done.output, done.output


@pytest.mark.parametrize("case", EXPERIMENTS["assignment_cases"]())
def test_every_policy_is_best_at_what_it_aims_at(planner, case):
    document = program.document_of(program.PLAN, EXPERIMENTS["assignment_cases"]()[case])
    rows = {row["assignment"]: row for row in document["assignments"]}
    soonest = min(row["busiest_link"]["seconds"] for row in rows.values())
    assert rows["least_hop_bytes"]["hop_bytes"] == min(row["hop_bytes"] for row in rows.values())
    assert rows["least_congestion"]["busiest_link"]["seconds"] == soonest
    assert rows["locality_aware"]["bytes_inside_nodes"] == max(
        row["bytes_inside_nodes"] for row in rows.values()
    )
    assert rows[document["auto"]["assignment"]]["busiest_link"]["seconds"] <= 1.05 * soonest
    kept = json.loads((RESULTS / f"{case}.json").read_text())
    for row, before in zip(document["assignments"], kept["assignments"]):
        now = {
            key: row[key]
            for key in ("hop_bytes", "busiest_link", "rounds", "two_phase_messages", "two_layer_messages")
        }
        assert now == {key: before[key] for key in now}, "bench/measure_placement makes the results anew"


def test_the_strategies_that_were_kept_are_those_of_the_planner(planner):
    kept = json.loads((RESULTS / "strategies-torus-io.json").read_text())["runs"]
    assert EXPERIMENTS["elected"]("greedy", 3) == kept["greedy"][2]
    costs = {name: [run["mean_cost_s"] for run in runs] for name, runs in kept.items()}
    assert all(best == min(others) for best, *others in zip(costs["topology_aware"], *costs.values()))
    links = {name: sum(run["busiest_link"]["seconds"] for run in runs) for name, runs in kept.items()}
    assert sorted(links, key=links.get)[0] == "contention_aware" and sorted(links, key=links.get)[-2:] == [
        "longest_path",
        "greedy",
    ]


def test_tables_fit_80_columns_without_cut_names(planner, cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    told = cli(
        "plan", "--machine", "tree:4x4", "--pattern", "interleave", "--ranks", 64, "--ranks-per-node", 4
    ).output
    assert all(len(line) <= 80 for line in told.splitlines())
    rows = [line.split() for line in told.splitlines() if "->" in line]
    assert len(rows) > 15 and all(
        row[row.index("->") - 1] and row[row.index("->") + 1] and len(row) >= 12 for row in rows
    )
