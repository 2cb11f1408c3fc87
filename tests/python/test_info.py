"""`collio info`."""

import json
import re
from pathlib import Path

import pytest

from collio import hints


def test_it_lists_what_is_there(site, cli, monkeypatch, tmp_path):
    site.interposer["openmpi"].unlink()
    (tmp_path / "collio.conf").write_text("cb_nodes = 3\n")
    monkeypatch.setenv("COLLIO_VERBOSE", "1")
    monkeypatch.setenv("COLLIO_SET_FOR", "*.nc: cb_nodes=2")
    monkeypatch.setenv("ROMIO_HINTS", "/site/hints")
    facts = json.loads(cli("info", "--json").output)
    built = {mpi["id"]: mpi["built"] for mpi in facts["mpi"]}
    assert built["mpich-9.9.1"] is True and built["openmpi-9.9.2"] is False
    nodes = next(hint for hint in facts["hints"] if hint["key"] == "cb_nodes")
    assert (nodes["value"], nodes["from"], nodes["default"]) == ("3", "collio.conf", "auto")
    assert (
        facts["config_file"] == str(tmp_path / "collio.conf")
        and facts["environment"]["COLLIO_VERBOSE"] == "1"
    )
    assert facts["environment"]["ROMIO_HINTS"] == "/site/hints"
    assert facts["hints_by_path"] == [
        {"pattern": "*.nc", "hints": {"cb_nodes": "2"}, "from": "COLLIO_SET_FOR"}
    ]
    text = cli("info").output
    assert "for files *.nc: cb_nodes=2 (COLLIO_SET_FOR)" in text
    assert "mpich-9.9.1" in text and "cb_nodes" in text and "make build" in text


def test_hints_wrap_between_words_within_80_columns(site, cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = cli("info", "--all").output
    told = shown[shown.index("Hints") :]
    assert all(len(line) <= 80 for line in told.splitlines())
    words = {word.strip(",") for word in told.split()}
    for hint in hints.HINTS:
        for word in [hint.key, *hint.allowed.split(), *hint.meaning.split()]:
            assert word.strip(",") in words, f"{hint.key}: {word} is cut"
    assert all(str(path) in shown for path in site.mpiexec.values())


def test_experimental_hints_and_values_come_last(site, cli):
    stable, heading, experimental = cli("info", "--all").output.partition("Experimental hints and values")
    assert (
        heading
        and "collio_sends" not in stable
        and "collio_sends" in experimental
        and "cb_nodes" not in experimental
    )
    assert (
        "shortest_path" not in stable
        and "shortest_path" in experimental
        and "topology_aware" not in experimental
    )


FIRST = (
    "collio_enable",
    "collio_path",
    "cb_nodes",
    "cb_buffer_size",
    "collio_memory_limit",
    "collio_check",
    "striping_unit",
    "striping_factor",
    "collio_subfiles",
    "collio_subfile_dirs",
    "collio_join",
    "collio_probe",
)


def keys_of(shown):
    return tuple(re.findall(r"^  (\w+) = ", shown, re.MULTILINE))


def test_twelve_hints_come_first_and_others_on_demand(site, cli):
    shown = cli("info").output
    assert (
        keys_of(shown) == FIRST
        and f"{len(hints.HINTS) - 12} hints more" in shown
        and "collio info --all" in shown
    )
    every = keys_of(cli("info", "--all").output)
    assert every[:12] == FIRST and sorted(every) == sorted(hint.key for hint in hints.HINTS)
    groups = {hint["key"]: hint["group"] for hint in json.loads(cli("info", "--json").output)["hints"]}
    assert (
        tuple(key for key, group in groups.items() if group == "first") == FIRST
        and groups["collio_sends"] == "experimental"
    )


@pytest.mark.parametrize("key, value", [("collio_buffers", "3"), ("collio_sends", "standard")])
def test_a_hint_that_is_set_is_shown_without_all(site, cli, monkeypatch, key, value):
    monkeypatch.setenv("COLLIO_HINTS", f"{key}={value}")
    shown = cli("info").output
    assert (
        keys_of(shown) == (*FIRST, key)
        and f"{key} = {value} (COLLIO_HINTS)" in shown
        and f"{len(hints.HINTS) - 13} hints more" in shown
    )


def test_the_reference_has_the_same_groups():
    page = (Path(__file__).parents[2] / "docs/hints.md").read_text()
    groups = re.findall(
        r"^## (Twelve to know|Tuning|Experimental)\n(.*?)(?=^## |^<!-- end)", page, re.MULTILINE | re.DOTALL
    )
    shown = {heading: re.findall(r"^### `(\w+)`", text, re.MULTILINE) for heading, text in groups}
    assert tuple(shown["Twelve to know"]) == FIRST
    for heading, group in (("Tuning", "tuning"), ("Experimental", "experimental")):
        assert shown[heading] == sorted(hint.key for hint in hints.HINTS if hint.group == group)


def test_a_bad_config_is_a_line_not_a_crash(site, cli, tmp_path):
    (tmp_path / "collio.conf").write_text("cb_nodes = none\n")
    done = cli("info")
    assert done.exit_code == 0 and "cb_nodes=none" in done.output


def test_version_and_help(cli):
    assert "collio" in cli("--version").output
    for words in (
        [],
        ["run"],
        ["info"],
        ["report"],
        ["bench"],
        ["bench", "interleave"],
        ["bench", "e3sm"],
        ["demo"],
    ):
        assert cli(*words, "--help").exit_code == 0
