"""`collio info`."""

import json

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
    assert facts["config_file"] == str(tmp_path / "collio.conf") and facts["environment"]["COLLIO_VERBOSE"] == "1"
    assert facts["environment"]["ROMIO_HINTS"] == "/site/hints"
    assert facts["hints_by_path"] == [{"pattern": "*.nc", "hints": {"cb_nodes": "2"}, "from": "COLLIO_SET_FOR"}]
    text = cli("info").output
    assert "for files *.nc: cb_nodes=2 (COLLIO_SET_FOR)" in text
    assert "mpich-9.9.1" in text and "cb_nodes" in text and "make build" in text


def test_hints_wrap_between_words_within_80_columns(site, cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = cli("info").output
    told = shown[shown.index("Hints"):]
    assert all(len(line) <= 80 for line in told.splitlines())
    words = {word.strip(",") for word in told.split()}
    for hint in hints.HINTS:
        for word in [hint.key, *hint.allowed.split(), *hint.meaning.split()]:
            assert word.strip(",") in words, f"{hint.key}: {word} is cut"
    assert all(str(path) in shown for path in site.mpiexec.values())


def test_experimental_hints_and_values_come_last(site, cli):
    stable, heading, experimental = cli("info").output.partition("Experimental hints and values")
    assert heading and "collio_sends" not in stable and "collio_sends" in experimental and "cb_nodes" not in experimental
    assert "shortest_path" not in stable and "shortest_path" in experimental and "topology_aware" not in experimental


def test_a_bad_config_is_a_line_not_a_crash(site, cli, tmp_path):
    (tmp_path / "collio.conf").write_text("cb_nodes = none\n")
    done = cli("info")
    assert done.exit_code == 0 and "cb_nodes=none" in done.output


def test_version_and_help(cli):
    assert "collio" in cli("--version").output
    for words in ([], ["run"], ["info"], ["report"], ["bench"], ["bench", "interleave"], ["bench", "e3sm"], ["demo"]):
        assert cli(*words, "--help").exit_code == 0
